#include "cli/check/write_openings.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "agents/claude/setup/client_sandbox.h"
#include "base/contains.h"
#include "base/json_pointer.h"
#include "base/json_tree.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/common/file_place.h"
#include "cli/common/grant_target.h"
#include "cli/common/init_command.h"
#include "policy/evaluate/evaluate_host.h"
#include "policy/evaluate/evaluate_path.h"
#include "policy/event.h"
#include "policy/files/cached_files.h"
#include "policy/files/resolve.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

// Base directory of relative rules in the file: the project for project settings, else the
// directory of the file.
std::string FolderOfFile(const SettingsFile& file) {
  const Path folder = Path::Clean(file.path).Parent();
  const bool is_of_project =
      file.layer == SettingsLayer::kProject || file.layer == SettingsLayer::kLocal;
  return (is_of_project ? folder.Parent() : folder).text();
}

// "//x" is absolute, "~/x" is below the home, "/x" is below the directory of the settings file.
std::string RuleText(std::string_view argument, const SettingsFile& file) {
  if (argument.starts_with("//")) return std::string(argument.substr(1));
  if (!argument.starts_with('/')) return std::string(argument);
  return FolderOfFile(file) + std::string(argument);
}

// Returns the path if `rule` permits writing.
std::optional<std::string> WriteRule(std::string_view rule, const SettingsFile& file) {
  constexpr std::string_view kEdit = "Edit(";
  if (!rule.starts_with(kEdit) || !rule.ends_with(')')) return {};
  rule.remove_prefix(kEdit.size());
  rule.remove_suffix(1);
  return RuleText(rule, file);
}

// "/x" and "//x" are absolute, "~/x" is below the home, all else is below the file's directory.
std::string AllowWriteText(std::string_view entry, const SettingsFile& file) {
  const bool is_of_file = !entry.starts_with('/') && entry != "~" && !entry.starts_with("~/");
  return (is_of_file ? FolderOfFile(file) + "/" : "") + std::string(entry);
}

class OpeningFinder {
 public:
  explicit OpeningFinder(const OpeningQuestion& question) : question_(question) {}

  Findings Run() {
    const auto confines = [](const SettingsFile& file) {
      return MayRunHooks(file) && file.settings.Flag("/sandbox/enabled") == true;
    };
    // Without a policy, which is reported elsewhere, there is nothing to compare.
    if (question_.rights.empty() || std::ranges::none_of(question_.files, confines)) return {};
    for (const SettingsFile& file : question_.files) {
      if (file.text && MayRunHooks(file)) LookAt(file);
    }
    return std::move(findings_);
  }

 private:
  // An entry of a settings list.
  struct Entry {
    const SettingsFile& file;
    std::string pointer;  // of its list
    std::string text;
    std::string place;
  };

  void LookAt(const SettingsFile& file) {
    const std::string text(WithoutByteOrderMark(*file.text));
    const Result<JsonTree> tree = JsonTree::Parse(text, file.settings.name, false);
    if (!tree) return;  // reported elsewhere
    const auto each = [&](const char* pointer, auto take) {
      const JsonNode* list = NodeAt(*tree, pointer);
      if (list == nullptr || list->kind != JsonTree::Kind::kArray) return;
      for (const JsonNode& node : tree->ChildrenOf(*list)) {
        if (node.kind != JsonTree::Kind::kString) continue;
        take(Entry{file, pointer, std::string(node.content()), tree->PlaceOf(node.begin)});
      }
    };
    each("/permissions/additionalDirectories",
         [&](const Entry& entry) { CheckWrite(entry, entry.text); });
    each("/permissions/allow", [&](const Entry& entry) {
      if (const auto path = WriteRule(entry.text, file)) CheckWrite(entry, *path);
    });
    each(kAllowWrite,
         [&](const Entry& entry) { CheckWrite(entry, AllowWriteText(entry.text, file)); });
    each(kAllowedDomains, [&](const Entry& entry) {
      Check(entry, "reach " + Quote(entry.text, 80),
            [&](const CommandRights& rights) { return rights.MayReach(entry.text); });
    });
  }

  // Returns the path before the first component with a pattern.
  Path FolderOf(const std::string& text) const {
    std::string path = text;
    if (!path.starts_with('/')) {
      const bool is_of_home = path == "~" || path.starts_with("~/");
      path = is_of_home ? question_.where.home + path.substr(1)
                        : question_.where.project_dir + "/" + path;
    }
    return FixedFolder(path);
  }

  void CheckWrite(const Entry& entry, const std::string& path) {
    const Path folder = FolderOf(path);
    Check(entry, "write " + Quote(ShownPath(folder.text(), question_.where), 80),
          [&](const CommandRights& rights) { return rights.MayWrite(folder); });
  }

  template <typename Permits>
  void Check(const Entry& entry, const std::string& opened, Permits permits) {
    const auto here = [&](const RightsInForce& rights) { return permits(rights.here); };
    const auto users = [&](const RightsInForce& rights) { return permits(rights.users); };
    if (std::ranges::any_of(question_.rights, here)) return;
    const bool serves_all =
        entry.file.layer == SettingsLayer::kUser || entry.file.layer == SettingsLayer::kManaged;
    const bool is_projects = serves_all && std::ranges::any_of(question_.rights, users);
    Add(findings_, is_projects ? Severity::kNote : Severity::kWarning, "sandbox-opened",
        ConfigError(entry.place,
                    "commands in the client's sandbox may also " + opened + ", which " +
                        (is_projects ? "this project's policy" : "the policy") +
                        " does not permit: " + DottedKey(entry.pointer) + " has " +
                        Quote(entry.text, 80),
                    is_projects ? "these settings serve every project" : Hint(entry)));
  }

  // Suggests init for an entry that it added: it removes entries that the policy no longer has.
  std::string Hint(const Entry& entry) const {
    for (const SettingsRecord& record : question_.records) {
      if (!LeadToOneFile(record.path, entry.file.path)) continue;
      const auto list =
          std::ranges::find(record.lists, entry.pointer, &SettingsRecord::Texts::pointer);
      if (list == record.lists.end() || !Contains(list->texts, entry.text)) continue;
      return "take it out again: " + InitCommand(entry.file, question_.where);
    }
    return std::string("remove that entry if commands should not ") +
           (entry.pointer == kAllowedDomains ? "reach that host" : "write there");
  }

  const OpeningQuestion& question_;
  Findings findings_;
};

}  // namespace

CommandRights::CommandRights(const Policy& policy, const Places& places, const FileView& files)
    : policy_(policy), places_(places), files_(files) {
  folders_ = {places.root_real, StartOf(places)};
  const ClientLimits limits = SandboxForOneProject(policy, places, {});
  for (const ClientLimits::Texts& list : limits.lists) {
    if (list.pointer == kAllowWrite) {
      for (const std::string& text : list.texts) {
        if (const auto path = OwnPath(text, places)) folders_.push_back(Real(path->text()));
      }
    }
    if (list.pointer == kAllowedDomains) domains_ = list.texts;
  }
}

Path CommandRights::Real(const std::string& path) const {
  const Walked walked = Walk(path, files_);
  return walked.stop == Walked::Stop::kEnd ? walked.end : Path::Clean(path);
}

bool CommandRights::MayWrite(const Path& folder) const {
  const Path real = Real(folder.text());
  const auto holds = [&](const Path& permitted) { return real.IsInside(permitted); };
  if (std::ranges::any_of(folders_, holds)) return true;
  // Entries with patterns, which init cannot write, are left to the evaluator.
  Event event;
  event.kind = EventKind::kPreToolUse;
  event.cwd = places_.root.text();
  const CachedFiles files(files_);
  const PathEvaluator evaluator(policy_, places_, event, files);
  return evaluator.Evaluate(folder.text(), Access::kWrite, "write to", "").verdict ==
         Verdict::kPermit;
}

bool CommandRights::MayReach(const std::string& domain) const {
  if (EvaluateHosts(domain, policy_).verdict == Verdict::kPermit) return true;
  // init opens more than the policy permits: every port of a host, and hosts that are denied in
  // part, whose denied part it adds to the list of denied domains.
  const std::string lower = LowerAscii(domain);
  const Result<HostRule> wanted = ParseHostRule(lower);
  if (!wanted) return false;
  const auto covers = [&](const HostRule& rule) { return Covers(rule, *wanted); };
  if (std::ranges::any_of(policy_.network->deny, covers)) return false;
  return std::ranges::any_of(domains_, [&](const std::string& text) {
    const Result<HostRule> opened = ParseHostRule(text);
    return opened && covers(*opened);
  });
}

Findings FindSandboxOpenings(const OpeningQuestion& question) {
  return OpeningFinder(question).Run();
}

}  // namespace ringfence
