#include "cli/wide_wish.h"

#include "base/text.h"
#include "cli/entry_reach.h"
#include "policy/real_files.h"
#include "policy/resolve.h"

namespace ringfence {
namespace {

std::string WideToolText(const std::string& tool) {
  const ToolReach reach = ToolReachOf(tool);
  if (reach == ToolReach::kEveryTool) return "every tool, also those of every MCP server";
  const bool is_every_server = reach == ToolReach::kEveryServer || tool == "mcp__";
  return is_every_server ? "the tools of every MCP server" : "";
}

// The folder that the project lies in.
Path FolderOfProject(const std::string& project, const FileView& files) {
  const Walked walked = Walk(project, files);
  const Path real = walked.stop == Walked::Stop::kEnd ? walked.end : Path::Clean(project);
  return real.Parent();
}

std::string WideFolderText(const EntryReach& reach, const std::string& entry,
                           const Whereabouts& where, const Path& around_project) {
  const Path home = Path::Clean(where.home);
  Share share = Share::kNone;
  const auto of = [&share] {
    return std::string(share == Share::kEvery ? "every file of " : "many files of ");
  };
  if (const auto top = reach.TopAbove(entry, home, &share)) {
    if (top->is_root()) return of() + "this machine";
    return of() + "the home directory" + (*top == home ? "" : " and beside it");
  }
  for (const Path& other : SampleHomes()) {
    const auto top = reach.TopAbove(entry, other, &share);
    if (top) return of() + Quote(top->text()) + ", which holds the homes of users,";
  }
  const auto top = reach.TopAbove(entry, around_project, &share);
  if (!top) return "";
  return of() + Quote(top->text()) + ", which holds this project and what is beside it,";
}

std::string WidePathText(const Wish& wish, const Places& places, const Whereabouts& where) {
  if (wish.path.empty()) return "";  // a set
  const RealFiles files;
  const std::string text = WideFolderText(EntryReach(places, files), EntryFor(wish, "", where.home),
                                          where, FolderOfProject(where.project, files));
  return text.empty() ? "" : text + " for reading" + (wish.also_write ? " and writing" : "");
}

}  // namespace

std::string WideText(const Wish& wish, const Places& places, const Whereabouts& where) {
  if (wish.kind == WishKind::kTool) return WideToolText(wish.text);
  if (wish.kind == WishKind::kPath) return WidePathText(wish, places, where);
  return wish.text == "*" || wish.text.starts_with("*:") ? "every host" : "";
}

}  // namespace ringfence
