#include "policy/rules/protected.h"

#include <algorithm>
#include <cerrno>

#include "base/case_fold.h"
#include "policy/agent.h"
#include "policy/load/sources.h"
#include "policy/load/trust.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

constexpr std::string_view kPolicyFolder = ".ringfence";  // of a project
constexpr std::string_view kPolicies = "ringfence's policies";
constexpr std::string_view kPrograms = "ringfence's programs";
constexpr std::string_view kStateFiles = "ringfence's state files";
constexpr std::string_view kLog = "ringfence's audit logs";

std::vector<ProtectedName> FloatingNames(const Agent& agent) {
  const std::string folder = "**/" + std::string(agent.state.folder);
  return {{folder + "/" + std::string(agent.settings.pattern), true, true, agent.settings.what},
          {"**/" + std::string(kPolicyFolder), true, true, kPolicies}};
}

constexpr size_t kMaxOwnFiles = 4096;  // below one directory

bool IsInsideFolded(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool Matches(const ProtectedName& name, std::string_view folded) {
  return MatchPattern(name.pattern, folded.substr(1), {.fold = true, .covers = true});
}

bool MayMatchAny(std::string_view rest, const Agent& agent) {
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    if (FoldsTo(name, agent.state.folder) || FoldsTo(name, kPolicyFolder)) return true;
  }
  return false;
}

}  // namespace

bool IsProtectedAnywhere(std::string_view relative, const Agent& agent) {
  if (!MayMatchAny(relative, agent)) return false;  // nearly always
  const std::string folded = FoldName(Path::Clean("/" + std::string(relative)).text());
  const auto matches = [&](const ProtectedName& name) { return Matches(name, folded); };
  return FoldsTo(folded.substr(folded.rfind('/') + 1), agent.state.folder) ||
         std::ranges::any_of(FloatingNames(agent), matches);
}

ProtectedPaths::ProtectedPaths(const Places& places, const CachedFiles& files)
    : places_(places), files_(files), floating_(FloatingNames(*places.agent)) {
  const Agent& agent = *places.agent;
  for (const Path& policy : places.policies) Add(policy, kPolicies);
  Add(Path::Clean(kManagedPolicy).Parent(), kPolicies);
  Add(Path::Clean(places.macos_names ? agent.settings.managed_macos : agent.settings.managed),
      agent.settings.what);
  for (const Path& home : places.homes) {
    Add(Path::Clean(UserPolicyPath(home.text())).Parent(), kPolicies);
    Add(Path::Clean(StateFolder(home.text())), kStateFiles);
    AddSettings(home.Child(agent.state.folder));
  }
  for (const Path& root : {places.root_real, places.root}) {
    AddSettings(root.Child(agent.state.folder));
    Add(root.Child(kPolicyFolder).Child("policy.json"), kPolicies);
    if (places.root == places.root_real) break;
  }
  for (const Path& folder : places.settings_folders) AddSettings(folder);
  for (const Path& program : places.programs) {
    Add(program, kPrograms, PlainPartOf(program));
    if (program.name() == "ringfence-hook") AddPlugin(program);
  }
  if (places.audit_file) Add(*places.audit_file, kLog);
}

Path ProtectedPaths::PlainPartOf(const Path& program) const {
  if (!places_.program_real) return {};
  if (program == *places_.program_real) return program;
  const Path folder = places_.program_real->Parent();
  return program.IsInside(folder) ? folder : Path();
}

// The plugin, which registers the hook, is in share/ringfence beside bin.
void ProtectedPaths::AddPlugin(const Path& hook) {
  if (hook.Parent().name() != "bin") return;
  const Path prefix = hook.Parent().Parent();
  const bool is_plain = places_.program_real && places_.program_real->Parent() == hook.Parent();
  Add(prefix.Child("share").Child("ringfence"), kPrograms, is_plain ? prefix : Path());
}

void ProtectedPaths::AddSettings(const Path& folder) {
  const AgentSettings& settings = places_.agent->settings;
  for (const std::string_view name : settings.files) Add(folder.Child(name), settings.what);
}

void ProtectedPaths::Add(const Path& path, std::string_view what, const Path& plain) {
  items_.push_back({path, FoldName(path.text()), what, plain});
}

// True for the project, the homes and the directories above them. They contain protected files, but
// writing "to" them replaces nothing: some tools name the directory that they work in.
bool ProtectedPaths::IsExempt(const Path& path) const {
  const auto is_above = [&path](const Path& place) { return place.IsInside(path); };
  return is_above(places_.root) || is_above(places_.root_real) ||
         std::ranges::any_of(places_.homes, is_above);
}

std::optional<Protection> ProtectedPaths::Covers(const Path& path) const {
  const std::string folded = FoldName(path.text());
  for (const ProtectedName& name : floating_) {
    if (Matches(name, folded)) return Protection{name.what};
  }
  for (const Item& item : items_) {
    if (IsInsideFolded(folded, item.folded)) return Protection{item.what};
    // Rotated logs are in the same directory as the log.
    if (item.what == kLog && folded.starts_with(item.folded + ".")) return Protection{item.what};
  }
  return {};
}

std::optional<Protection> ProtectedPaths::HeldBelow(const Path& path) const {
  const std::string folded = FoldName(path.text());
  // Replacing the agent's directory replaces the settings in it.
  const Agent& agent = *places_.agent;
  if (FoldsTo(path.name(), agent.state.folder)) return Protection{agent.settings.what, true};
  if (IsExempt(path)) return {};
  for (const Item& item : items_) {
    if (IsInsideFolded(item.folded, folded)) return Protection{item.what, true};
  }
  return {};
}

std::optional<Protection> ProtectedPaths::RefusesName(const Path& path) const {
  const auto covered = Covers(path);
  return covered ? covered : HeldBelow(path);
}

bool ProtectedPaths::IsSameFile(const FileFacts& one, const FileFacts& other) {
  return one.kind == other.kind && one.inode == other.inode && one.device == other.device;
}

// If the item's own name leads elsewhere through links, refuses to write to that target, to replace
// a directory above it, or to replace one of the links. The target need not exist yet.
std::optional<Protection> ProtectedPaths::RefusesByLinks(const Item& item,
                                                         const Walked& walked) const {
  const Result<bool> has_link =
      files_.HasLinkBelow(files_.FolderOf(item.plain), *item.path.Below(item.plain));
  if (has_link && !*has_link) return {};
  const Walked own = Walk(item.path.text(), files_);
  if (own.stop != Walked::Stop::kEnd || own.links.empty() || own.end.is_root()) return {};
  const std::string target = FoldName(walked.end.text());
  const std::string end = FoldName(own.end.text());
  if (IsInsideFolded(target, end)) return Protection{item.what};
  if (!IsExempt(walked.end) && IsInsideFolded(end, target)) return Protection{item.what, true};
  if (IsExempt(walked.entry)) return {};
  const std::string entry = FoldName(walked.entry.text());
  const bool replaces = std::ranges::any_of(
      own.links, [&](const Path& link) { return IsInsideFolded(FoldName(link.text()), entry); });
  if (replaces) return Protection{item.what, true};
  return {};
}

// True if `file`, which has several names, is the item or is below it under one of them.
bool ProtectedPaths::HasOtherName(const Item& item, const FileFacts& file) const {
  const Walked own = Walk(item.path.text(), files_);
  if (own.stop != Walked::Stop::kEnd) return false;
  if (IsSameFile(own.facts, file)) return true;
  // Rotated logs are in the same directory as the log.
  if (item.what == kLog) return HoldsFile(own.end.Parent(), own.end.name(), file);
  return own.facts.kind == FileKind::kDirectory && HoldsFile(own.end, "", file);
}

// True if a directory of ringfence or of the client's settings contains `file` under a name that
// begins with `prefix`, or, without a prefix, anywhere below. A directory with more than
// kMaxOwnFiles entries counts as containing it.
bool ProtectedPaths::HoldsFile(const Path& folder, std::string_view prefix,
                               const FileFacts& file) const {
  std::vector<Path> open{folder};
  size_t seen = 0;
  while (!open.empty()) {
    const Path path = std::move(open.back());
    open.pop_back();
    const Result<std::vector<DirectoryEntry>> entries = files_.List(path, kMaxOwnFiles);
    const bool is_huge =
        entries ? (seen += entries->size()) > kMaxOwnFiles : entries.error().code == E2BIG;
    if (is_huge) return true;
    if (!entries) continue;  // the file may still be in another directory
    for (const DirectoryEntry& entry : *entries) {
      if (!entry.name.starts_with(prefix)) continue;
      const Result<FileFacts> facts = files_.Look(path.Child(entry.name));
      if (facts && IsSameFile(*facts, file)) return true;
      if (facts && facts->kind == FileKind::kDirectory && prefix.empty()) {
        open.push_back(path.Child(entry.name));
      }
    }
  }
  return false;
}

std::optional<Protection> ProtectedPaths::RefusesTarget(const Walked& walked) const {
  if (const auto what = RefusesName(walked.end)) return what;
  if (const auto what = HeldBelow(walked.entry)) return what;
  const bool has_other_names = walked.facts.kind == FileKind::kFile && walked.facts.links > 1;
  for (const Item& item : items_) {
    if (const auto what = RefusesByLinks(item, walked)) return what;
    if (has_other_names && HasOtherName(item, walked.facts)) return Protection{item.what};
  }
  return {};
}

std::vector<ProtectedName> ProtectedNames(const Places& places, const CachedFiles& files) {
  const ProtectedPaths paths(places, files);
  std::vector<ProtectedName> names = paths.floating_;
  for (const ProtectedPaths::Item& item : paths.items_) {
    names.push_back({item.path.text(), false, false, item.what});
    if (item.what != kLog) continue;
    names.push_back(
        {EscapePattern(item.path.text()) + ".*", false, true, item.what});  // rotated logs
  }
  return names;
}

}  // namespace ringfence
