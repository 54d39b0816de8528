#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "agents/claude/setup/agent_guard.h"
#include "agents/claude/setup/derived_settings.h"
#include "base/add_once.h"
#include "base/environment.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "cli/check/lint.h"
#include "cli/command_line/options.h"
#include "cli/common/console.h"
#include "cli/common/file_transaction.h"
#include "cli/common/policies.h"
#include "cli/common/registered.h"
#include "cli/common/state.h"
#include "cli/setup/guarded_paths.h"
#include "policy/files/real_files.h"
#include "run/messages.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

struct SettingsOptions {
  Registration given;
  bool json = false;
  std::string hook;
  std::string reader = "claude";
  std::string language = "typescript";
  std::string merge;
  bool in_place = false;
  bool replace = false;
  bool under_run = false;
  bool client_fence = false;

  bool is_for_sdk() const { return reader == "sdk"; }
};

constexpr const char* kSettingsExamples =
    "  ringfence settings > s.json && claude --settings s.json\n"
    "  ringfence settings --profile worker --for sdk\n"
    "  ringfence settings --merge .claude/settings.local.json --in-place\n\n"
    "The output is always JSON; --json changes nothing.";

// Everything that the settings are derived from.
struct Sources {
  Registration where;  // with the hook as its program
  HookProgram hook;
  Context context;
  Policy policy;
};

Status FindSources(const SettingsOptions& options, Sources& found) {
  if (Status s = FindProject(options.given.home, options.given.root).MoveTo(found.where); !s)
    return s.error();
  if (Status s = FindHookProgram(options.hook).MoveTo(found.hook); !s) return s.error();
  found.where.program = found.hook.path;
  found.where.profile = options.given.profile;
  if (!options.given.policy.empty()) found.where.policy = Absolute(options.given.policy);
  if (Status s = FindTypedContext(found.where, RealFiles()).MoveTo(found.context); !s)
    return s.error();
  if (Status s = found.context.PolicyFor().MoveTo(found.policy); !s) return s.error();
  return Unit{};
}

// Prints each note once. Called only when there is a result, not before a refusal.
void SayNotes(const Derived& derived) {
  std::vector<std::string> notes;
  for (const std::string& note : derived.notes) AddOnce(notes, note);
  for (const std::string& note : notes) Say("note: " + Printable(note));
}

std::vector<std::string> MachineNotes(const Sources& found, const SettingsOptions& options) {
  std::vector<std::string> notes = found.context.sources.notes;
  if (!found.hook.is_immune_to_preloading) {
    notes.push_back(
        Quote(found.hook.path) +
        " is not a static program: LD_PRELOAD in the settings of a project can silence it");
  }
  if (found.policy.wrap_bash || options.under_run) return notes;
  const SandboxTools tools = FindSandboxTools();
  for (const std::string& program : tools.missing) {
    notes.push_back(program +
                    " cannot be found: with failIfUnavailable the client will not start here");
  }
  if (!tools.broken.empty())
    notes.push_back("the client's sandbox cannot work here: " + tools.broken);
  return notes;
}

// The SDK also loads the project's settings, so a registration in them takes effect as well.
void NoteOtherRegistration(const Sources& found, const HookCommand& command, Derived& derived) {
  const Result<SettingsFile> file = ReadSettingsFile(SettingsLayer::kProject, found.where);
  if (!file) return;
  const bool differs = std::ranges::any_of(file->settings.hooks, [&](const HookEntry& entry) {
    return Runs(entry, command.program) && entry.args != command.arguments;
  });
  if (!differs) return;
  derived.notes.push_back(
      file->settings.name +
      " registers the hook with other arguments: both run, and the stricter answer wins");
}

// Removes missing directories and paths of files: the client ignores both.
void KeepFolders(OrderedJson& options, const char* key) {
  if (!options.contains(key)) return;
  OrderedJson kept = OrderedJson::array();
  for (const OrderedJson& folder : options[key]) {
    struct stat facts {};
    const auto& path = folder.get_ref<const std::string&>();
    if (::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode)) kept.push_back(folder);
  }
  options[key] = kept;
  if (kept.empty()) options.erase(key);
}

// True if several users share the file, each with a different home. In a home, the project's file
// is the user's own.
bool IsShared(const std::string& path, const Registration& where) {
  if (path == SettingsPath(SettingsLayer::kUser, where)) return false;
  return path == SettingsPath(SettingsLayer::kProject, where) ||
         path == SettingsPath(SettingsLayer::kManaged, where);
}

Result<SettingsQuestion> QuestionOf(const Sources& found, const SettingsOptions& options) {
  const bool is_shared = !options.merge.empty() && IsShared(Absolute(options.merge), found.where);
  SettingsQuestion question{.policy = found.policy,
                            .sources = found.context.sources,
                            .places = found.context.places,
                            .command = CommandOf({.home = is_shared ? "" : found.where.home,
                                                  .policy = found.where.policy,
                                                  .profile = options.given.profile,
                                                  .program = found.hook.path}),
                            .under_run = options.under_run,
                            .client_fence = options.client_fence};
  question.guarded = GuardedPaths({found.where, SettingsLayer::kLocal, found.hook,
                                   found.where.policy, found.context, found.policy});
  if (found.policy.wrap_bash) {
    if (Status s = WrappingRules(found.hook.path).MoveTo(question.wrapping); !s) return s.error();
  }
  return question;
}

// Notes entries of the file that make it weaker than the derived settings.
void NoteWeaker(const ClientSettings& now, Derived& derived, const std::string& path,
                const std::string& program) {
  const ClientSettings alone = ParseClientSettings(derived.json.dump(), path, path);
  const Approvals approvals{{ApprovedAsIs(alone, program)}};
  for (const std::string& sentence : Weakens(now, approvals, program)) {
    std::string note = "also set, in addition to the policy, in ";
    derived.notes.push_back(note.append(path).append(" ").append(sentence));
  }
}

void NoteUnread(Derived& derived, const std::string& path, const Registration& where) {
  const bool is_of_project = path != SettingsPath(SettingsLayer::kUser, where) &&
                             (path == SettingsPath(SettingsLayer::kProject, where) ||
                              path == SettingsPath(SettingsLayer::kLocal, where));
  const OrderedJson::json_pointer strict("/sandbox/network/strictAllowlist");
  if (!is_of_project || !derived.json.contains(strict)) return;
  derived.notes.push_back(
      "the client reads sandbox.network.strictAllowlist from user and managed settings and"
      " --settings alone: from " +
      path + " it would ask about a host that is not listed");
}

Status WriteInPlace(const std::string& path, const std::optional<std::string>& before,
                    const std::string& after, const Sources& found) {
  FileTransaction transaction;
  if (Status s = transaction.Open(found.where.home); !s) return s;
  auto approvals = ReadApprovalsFile(found.where.home);
  if (!approvals) return approvals.error();
  // The hook of a running session compares the file with this approval.
  Approve(approvals->value, ApprovedAsIs(ParseClientSettings(after, path, path), found.hook.path));
  if (Status s = Save(*approvals, transaction); !s) return s;
  if (before != after) {
    if (Status s = transaction.Write(path, before, after, {}); !s) return s;
  }
  return transaction.Commit();
}

// `file` is a settings file with "bypassPermissions", or "".
std::optional<Error> UnsafeMode(const Sources& found, const SettingsOptions& options,
                                std::string_view file) {
  return UnsafeBypass(
      {found.policy, found.context.sources, options.given.profile, found.context.places, file});
}

Outcome Merge(const SettingsOptions& options, const Sources& found, Derived& derived,
              const HookCommand& command) {
  const std::string path = Absolute(options.merge);
  const Result<std::optional<std::string>> before = ReadIfThere(path);
  if (!before) return before.error();
  const Result<Merged> merged =
      MergeSettings({before->value_or(""), path, derived.json, command, options.replace});
  if (!merged) return merged.error();
  for (const std::string& conflict : merged->conflicts) {
    Say(Printable(conflict) + (options.replace ? "; it was replaced" : ""));
  }
  if (!merged->conflicts.empty() && !options.replace) {
    return Outcome::No(ConfigError(path, "contradicts the policy; nothing was changed",
                                   "change it there, or use --replace for the policy's values"));
  }
  const ClientSettings now = ParseClientSettings(merged->text, path, path);
  if (now.permission_mode == "bypassPermissions") {
    if (const auto unsafe = UnsafeMode(found, options, path)) return Outcome::No(*unsafe);
    if (found.policy.permission_mode != now.permission_mode) {
      derived.notes.push_back(
          "permissions.defaultMode is \"bypassPermissions\" in " + path +
          " and is kept: the client asks nothing, and only what the policy denies is stopped");
    }
  }
  NoteWeaker(now, derived, path, command.program);
  NoteUnread(derived, path, found.where);
  if (!options.in_place) {
    SayNotes(derived);
    std::fwrite(merged->text.data(), 1, merged->text.size(), stdout);
    return 0;
  }
  if (Status s = WriteInPlace(path, *before, merged->text, found); !s) return s.error();
  SayNotes(derived);
  return 0;
}

Outcome RunSettings(const SettingsOptions& options) {
  if (options.in_place) {
    if (Status s = RefuseUnattended("settings --in-place"); !s) return Outcome::No(s.error());
  }
  Sources found;
  if (Status s = FindSources(options, found); !s) return s.error();
  if (const auto unsafe = UnsafeMode(found, options, "")) return Outcome::No(*unsafe);
  const Result<SettingsQuestion> question = QuestionOf(found, options);
  if (!question) return question.error();
  const bool is_python = options.language == "python";
  Derived derived =
      options.is_for_sdk()
          ? SdkOptionsFor(*question, is_python ? SdkLanguage::kPython : SdkLanguage::kTypeScript)
          : ClientSettingsFor(*question);
  KeepFolders(derived.json, is_python ? "add_dirs" : "additionalDirectories");
  const std::vector<std::string> notes = MachineNotes(found, options);
  derived.notes.insert(derived.notes.begin(), notes.begin(), notes.end());
  if (options.is_for_sdk()) NoteOtherRegistration(found, question->command, derived);
  if (!options.merge.empty()) return Merge(options, found, derived, question->command);
  SayNotes(derived);
  PrintJson(derived.json);
  return 0;
}

void CheckUse(const SettingsOptions& options) {
  if (options.is_for_sdk() && !options.merge.empty()) {
    RefuseUsage("--merge is for settings files, not for --for sdk");
  }
  if (!options.is_for_sdk() && options.language != "typescript") {
    RefuseUsage("--language needs --for sdk");
  }
  if (options.merge.empty() && (options.in_place || options.replace)) {
    RefuseUsage("--in-place and --replace need --merge FILE");
  }
}

}  // namespace

void AddSettings(Command& app, Action& chosen) {
  Command command = AddCommand(
      app, "settings", "Print the client's own settings, or the agent SDK's options, for a policy",
      kSettingsExamples);
  const auto options = std::make_shared<SettingsOptions>();
  AddContextOptions(command, options->given, options->json);
  command.AddOption("--for CLIENT", options->reader, "claude: settings (default); sdk: options")
      .OneOf({"claude", "sdk"});
  command.AddOption("--language NAME", options->language, "For sdk: typescript (default) or python")
      .OneOf({"typescript", "python"});
  command.AddFlag("--under-run", options->under_run,
                  "ringfence run confines the agent: the client's own sandbox is off");
  command.AddFlag("--client-fence", options->client_fence,
                  "Claude Code itself refuses what is outside the project (see ringfence init)");
  command.AddOption("--merge FILE", options->merge,
                    "Merge them into this settings file and print it");
  command.AddFlag("--in-place", options->in_place, "Write that file instead of printing it");
  command.AddFlag("--replace", options->replace, "Where that file differs, use the policy's value");
  command.AddOption("--hook PATH", options->hook,
                    "The hook's program (default: ringfence-hook next to this program)");
  command.OnParsed([options] { CheckUse(*options); });
  command.OnGiven([options, &chosen] { chosen = [options] { return RunSettings(*options); }; });
}

}  // namespace ringfence
