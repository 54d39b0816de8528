#include "cli/common/entry_scope.h"

#include <algorithm>
#include <deque>
#include <span>

#include "base/path.h"
#include "policy/rules/path_entry.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

// Sample file names with different beginnings. A pattern that matches only one of them, such as
// "~/.b*" or "~/s*", counts as narrow.
constexpr std::string_view kSampleNames[] = {".any", ".bashrc",   ".config", "any",
                                             "data", "Documents", "other",   "src"};
constexpr std::ptrdiff_t kMany = 2;

template <typename Takes>
Share ShareOf(Takes takes) {
  const auto taken = std::ranges::count_if(kSampleNames, takes);
  if (taken == std::ssize(kSampleNames)) return Share::kEvery;
  return taken >= kMany ? Share::kMany : Share::kNone;
}

bool IsForAnyName(std::string_view component) {
  return component == "**" || ShareOf([&](std::string_view name) {
                                return MatchPattern(component, name, {});
                              }) != Share::kNone;
}

// Returns the pattern up to its first component that matches any name: "**" of "**/*.md". The rest
// only selects files in many directories.
std::string_view UpToAnyName(std::string_view tail) {
  std::string_view rest = tail;
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    if (IsForAnyName(name)) return tail.substr(0, tail.size() - rest.size());
  }
  return tail;
}

// Returns "/home/NAME" for an entry at or below it.
std::optional<Path> HomeNamedBy(const PathRule& rule) {
  std::string_view rest = rule.tail;
  const Path parent = Path().Child(TakeComponent(rest));
  const std::string_view name = TakeComponent(rest);
  const bool holds_homes = parent.text() == "/home" || parent.text() == "/Users";
  if (rule.base != RuleBase::kAbsolute || !holds_homes || name.empty() || HasPattern(name)) {
    return {};
  }
  return parent.Child(name);
}

}  // namespace

std::vector<Path> SampleHomes() { return {Path::Clean("/home/any"), Path::Clean("/Users/any")}; }

EntryScope::EntryScope(const Places& places, const FileView& files)
    : places_(places), files_(files), matcher_(policy_, places, "", files_) {}

bool EntryScope::Permits(const PathRule& rule, const Path& path) const {
  const std::vector<PathRuleList> allow{{std::span(&rule, 1)}};
  return matcher_.ListsNotCovering(allow, Access::kRead, path).empty();
}

Share EntryScope::Of(const std::string& entry, const Path& folder) const {
  std::deque<std::string> strings;
  PathRule rule;
  if (!ParsePathEntry(entry, ListKind::kAllow, strings, &rule)) return Share::kNone;
  if (Permits(rule, folder)) return Share::kEvery;
  if (!rule.has_pattern) return Share::kNone;
  const std::string_view whole = rule.tail;
  rule.tail = UpToAnyName(whole);
  const Share share =
      ShareOf([&](std::string_view name) { return Permits(rule, folder.Child(name)); });
  return rule.tail == whole ? share : std::min(share, Share::kMany);
}

std::optional<Path> EntryScope::TopAbove(const std::string& entry, const Path& folder,
                                         Share* share) const {
  std::optional<Path> top;
  for (Path at = folder;; at = at.Parent()) {
    if (const Share of = Of(entry, at); of != Share::kNone) {
      top = at;
      *share = of;
    }
    if (at.is_root()) return top;
  }
}

bool EntryScope::OpensMost(const std::string& entry) const {
  std::deque<std::string> strings;
  PathRule rule;
  if (!ParsePathEntry(entry, ListKind::kAllow, strings, &rule)) return false;
  std::vector<Path> folders = SampleHomes();
  for (const char* folder : {"/", "/root", "/etc", "/usr", "/var"}) {
    folders.push_back(Path::Clean(folder));
  }
  folders.insert(folders.end(), places_.homes.begin(), places_.homes.end());
  if (const auto home = HomeNamedBy(rule)) folders.push_back(*home);
  return std::ranges::any_of(folders,
                             [&](const Path& folder) { return Of(entry, folder) != Share::kNone; });
}

ToolScope ToolScopeOf(std::string_view entry) {
  constexpr std::string_view kTools[] = {"AnyTool", "NewTool", "other", "x_tool"};
  const auto of_none =
      std::ranges::count_if(kTools, [&](std::string_view tool) { return MatchName(entry, tool); });
  if (of_none >= kMany) return ToolScope::kEveryTool;
  // "mcp__*__get" names one tool of any server.
  const std::string_view tool = entry.substr(std::min(entry.rfind("__"), entry.size()));
  const bool is_of_any_server = std::ranges::any_of(
      std::initializer_list<std::string_view>{"__any", tool}, [&](std::string_view name) {
        return MatchName(entry, "mcp__anyserver" + std::string(name));
      });
  return is_of_any_server ? ToolScope::kEveryServer : ToolScope::kSome;
}

}  // namespace ringfence
