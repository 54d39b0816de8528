#include "cli/permit/wide_target.h"

#include <algorithm>
#include <vector>

#include "base/contains.h"
#include "base/text.h"
#include "cli/explain/entry_scope.h"
#include "policy/evaluate/fix.h"
#include "policy/files/real_files.h"
#include "policy/files/resolve.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

std::string WideToolText(const std::string& tool) {
  const ToolScope reach = ToolScopeOf(tool);
  if (reach == ToolScope::kEveryTool) return "every tool, also those of every MCP server";
  const bool is_every_server = reach == ToolScope::kEveryServer || tool == "mcp__";
  return is_every_server ? "the tools of every MCP server" : "";
}

// Returns the paths of the home, and the home in /etc/passwd if that differs.
std::vector<std::string> HomeNames(const Registration& where, const Places& places) {
  std::vector<std::string> names = NamesOfHome(where.home);
  for (const Path& home : places.deny_only_homes) names.push_back(home.text());
  return names;
}

// Returns the directory that contains the project.
Path FolderOfProject(const std::string& project, const FileView& files) {
  const Walked walked = Walk(project, files);
  const Path real = walked.stop == Walked::Stop::kEnd ? walked.end : Path::Clean(project);
  return real.Parent();
}

std::string WideFolderText(const EntryScope& reach, const std::string& entry,
                           const std::vector<std::string>& homes, const Path& around_project) {
  Share share = Share::kNone;
  const auto of = [&share] {
    return std::string(share == Share::kEvery ? "every file of " : "many files of ");
  };
  for (const std::string& name : homes) {
    const Path home = Path::Clean(name);
    const auto top = reach.TopAbove(entry, home, &share);
    if (!top) continue;
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

// Returns the directory above the first component that has a pattern.
Path FixedFolder(const std::string& path) {
  Path folder;
  std::string_view rest = path;
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    if (HasPattern(name)) break;
    folder = folder.Child(name);
  }
  return folder;
}

bool IsHomeByPlace(const Path& folder) {
  constexpr std::string_view kOfUsers[] = {"/home", "/Users", "/var/home"};
  return folder.text() == "/root" || Contains(kOfUsers, folder.Parent().text());
}

bool IsOwn(const Path& folder, const Places& places) {
  const auto holds = [&](const Path& own) { return folder.IsInside(own); };
  return folder.IsInside(places.root_real) || std::ranges::any_of(places.homes, holds) ||
         std::ranges::any_of(places.homes_real, holds);
}

// Describes a shared system directory or another user's home that the entry opens. The grant's path
// has its links resolved, so that "/bin" is "/usr/bin".
std::string ForeignFolderText(const EntryScope& reach, const std::string& entry,
                              const GrantTarget& grant, const Places& places) {
  const RealFiles files;
  constexpr size_t kMost = 1000;
  std::vector<Path> folders{grant.is_pattern ? FixedFolder(grant.path) : Path::Clean(grant.path)};
  for (const char* above : {"/", "/home"}) {
    const auto names = files.List(Path::Clean(above), kMost);
    if (!names || !grant.is_pattern) continue;
    for (const DirectoryEntry& name : *names) {
      folders.push_back(Path::Clean(above).Child(name.name));
    }
  }
  for (const Path& folder : folders) {
    const bool is_home = IsHomeByPlace(folder);
    const bool is_foreign = is_home || (grant.also_write && IsSharedFolder(folder, places));
    if (!is_foreign || IsOwn(folder, places)) continue;
    const Share share = reach.Of(entry, folder);
    if (share == Share::kNone) continue;
    return (share == Share::kEvery ? "every file of " : "many files of ") + Quote(folder.text()) +
           (is_home ? ", another user's home," : ", which all of this machine shares,");
  }
  return "";
}

std::string WidePathText(const GrantTarget& grant, const Places& places,
                         const Registration& where) {
  if (grant.path.empty()) {  // a set
    const bool is_wide = grant.also_write && grant.text != "@claude-scratch";
    return is_wide ? "every place of " + grant.text + " for reading and writing" : "";
  }
  const RealFiles files;
  const EntryScope reach(places, files);
  const std::string entry = EntryFor(grant, "", where.home);
  std::string text = WideFolderText(reach, entry, HomeNames(where, places),
                                    FolderOfProject(where.project_dir, files));
  if (text.empty()) text = ForeignFolderText(reach, entry, grant, places);
  return text.empty() ? "" : text + " for reading" + (grant.also_write ? " and writing" : "");
}

}  // namespace

std::string WideText(const GrantTarget& grant, const Places& places, const Registration& where) {
  if (grant.kind == TargetKind::kTool) return WideToolText(grant.text);
  if (grant.kind == TargetKind::kPath) return WidePathText(grant, places, where);
  return grant.text == "*" || grant.text.starts_with("*:") ? "every host" : "";
}

}  // namespace ringfence
