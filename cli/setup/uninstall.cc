#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "agents/claude/setup/agent_guard.h"
#include "agents/claude/setup/plugin.h"
#include "agents/claude/setup/settings_editor.h"
#include "base/add_once.h"
#include "base/contains.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "cli/command_line/options.h"
#include "cli/common/console.h"
#include "cli/common/file_place.h"
#include "cli/common/state.h"
#include "cli/setup/program_change.h"
#include "cli/setup/program_files.h"
#include "cli/setup/program_plan.h"
#include "policy/evaluate/fix.h"

namespace ringfence {
namespace {

struct UninstallOptions {
  Registration given;
  bool json = false;
  LayerOptions layers;
  std::string project;
  bool all = false;
  bool programs = false;
};

constexpr const char* kUninstallExamples =
    "  ringfence uninstall               the user's settings file\n"
    "  ringfence uninstall --local .     this project's local settings file\n"
    "  ringfence uninstall --all         every settings file in which ringfence is registered\n"
    "  ringfence uninstall --all --programs  the same, and then remove the programs";

constexpr const char* kHookName = "ringfence-hook";

struct Removed {
  std::string path;
  size_t entries = 0;
  bool is_gone = false;   // the file was deleted
  bool is_known = false;  // there is a record, so other keys were restored
  bool was_gone = false;  // the file did not exist
  std::string program;    // the hook that it registered; "" if that is not known
};

class Uninstaller {
 public:
  explicit Uninstaller(const Registration& where) : where_(where) {}

  Status Open() {
    if (Status s = transaction_.Open(where_.home); !s) return s;
    if (Status s = ReadRecords(where_.home).MoveTo(records_); !s) return s.error();
    if (Status s = ReadApprovalsFile(where_.home).MoveTo(approvals_); !s) return s.error();
    return Unit{};
  }

  // Returns the files of the layers, then those that have a record, whatever project they belong
  // to.
  std::vector<std::string> AllFiles() const {
    std::vector<std::string> paths;
    for (const SettingsLayer layer : kSettingsLayers) AddOnce(paths, SettingsPath(layer, where_));
    for (const SettingsRecord& record : records_.value) AddOnce(paths, record.path);
    return paths;
  }

  Status Remove(const std::string& path) {
    Result<std::string> target = FollowedPath(path);
    if (!target) return target.error();
    if (Contains(targets_, *target)) return Unit{};
    targets_.push_back(*target);
    Result<std::optional<std::string>> text = ReadIfThere(*target);
    if (!text) return text.error();
    const SettingsRecord record = RecordOf(records_.value, *target);
    Removed removed{path, 0, false, !record.program.empty(), !*text, ""};
    if (record.serves.empty()) removed.program = record.program;
    std::string left = text->value_or("");
    if (!IsBlank(left)) {
      if (Status s = Edit(record, left, removed); !s) return s.error();
    }
    DropRecord(records_.value, *target);
    if (Status s = RestoreFilesServing(*target); !s) return s.error();
    const bool is_forgotten = ApproveRest(left, *target);
    if (removed.entries > 0 || removed.is_known || is_forgotten) removed_.push_back(removed);
    return Unit{};
  }

  Status Finish() {
    // The approvals come first: the hook of a running session compares the settings with them.
    if (Status s = Save(approvals_, transaction_); !s) return s.error();
    for (const Edited& edit : edited_) {
      Status s = edit.is_empty ? transaction_.Remove(edit.path, edit.before)
                               : transaction_.Write(edit.path, edit.before, edit.after, {});
      if (!s) return s.error();
    }
    if (Status s = Save(records_, transaction_); !s) return s.error();
    for (const std::string& folder : made_folders_) {
      if (Status s = transaction_.RemoveEmptyFolder(folder); !s) return s;
    }
    return transaction_.Commit();
  }

  const std::vector<Removed>& removed() const { return removed_; }

 private:
  // Also restores the files that were changed for the registration in `path`.
  Status RestoreFilesServing(const std::string& path) {
    std::vector<std::string> others;
    for (const SettingsRecord& record : records_.value) {
      if (record.serves == path) others.push_back(record.path);
    }
    for (const std::string& other : others) {
      if (Status s = Remove(other); !s) return s.error();
    }
    return Unit{};
  }

  struct Edited {
    std::string path;
    std::string before;
    std::string after;
    bool is_empty = false;
  };

  // Approves what is left of the file: the hook refuses a settings file that is not as approved.
  // Returns true if that changed an approval.
  bool ApproveRest(const std::string& text, const std::string& path) {
    const ApprovedFile* old = approvals_.value.Find(path);
    if (old == nullptr && IsBlank(text)) return false;
    const ApprovedFile now = ApprovedWith(CheckSettings(text, path, where_), kHookName, {});
    const bool changes = old != nullptr && *old != now;
    Approve(approvals_.value, now);
    return changes;
  }

  Status Edit(const SettingsRecord& record, std::string& text, Removed& removed) {
    const bool is_known = !record.program.empty();
    Result<Undone> undone = Undo(text, record, is_known ? record.program : kHookName);
    if (!undone) {
      Error error = undone.error();
      error.hint = "fix the file and run ringfence uninstall again; nothing was changed";
      return error;
    }
    removed.entries = undone->entries;
    // A link would be left dangling.
    removed.is_gone = undone->is_empty && !std::filesystem::is_symlink(removed.path);
    if (undone->text != text || removed.is_gone) {
      edited_.push_back({record.path, text, undone->text, removed.is_gone});
    }
    if (removed.is_gone) {
      made_folders_.insert(made_folders_.end(), record.folders.rbegin(), record.folders.rend());
    }
    text = undone->text;
    return Unit{};
  }

  const Registration& where_;
  FileTransaction transaction_;
  StateFile<std::vector<SettingsRecord>> records_;
  StateFile<Approvals> approvals_;
  std::vector<std::string> targets_;  // paths that Remove() was called with, links followed
  std::vector<Edited> edited_;
  std::vector<std::string> made_folders_;
  std::vector<Removed> removed_;
};

void PrintNothingRemoved(const std::string& path, const UninstallOptions& options,
                         const Registration& where) {
  const std::string place = options.all ? "" : " in " + ShownPath(path, where);
  const std::string rest = options.programs ? "." : "; nothing was changed.";
  Console().Line("Ringfence was not registered" + place + rest);
}

void PrintRemoved(const std::vector<Removed>& all, const Registration& where) {
  const Console console;
  for (const Removed& removed : all) {
    const std::string what = removed.entries == 0
                                 ? "what init had set"
                                 : std::to_string(removed.entries) + " hook entries";
    if (removed.was_gone) {
      console.Line("Forgot " + ShownPath(removed.path, where) + ", which no longer exists.");
      continue;
    }
    console.Line("Removed " + what + " from " + ShownPath(removed.path, where) +
                 (removed.is_gone ? ". The file was then empty, so it was deleted." : "."));
    if (removed.is_known) continue;
    console.Line(
        "Note: the record of what init had set there is lost; other keys were left as they are.");
  }
  if (!all.empty()) console.Line("Policies, logs and the trust store were kept.");
}

// Names the hooks of other installations, which stay: without a registration they decide nothing.
void NoteOthers(const std::vector<Removed>& all, const Path& prefix, const Registration& where) {
  const std::string own = prefix.Child("bin").Child(kHookName).text();
  for (const Removed& removed : all) {
    const std::string& program = removed.program;
    if (program.empty() || LeadToOneFile(program, own) || !std::filesystem::exists(program))
      continue;
    const std::string other = Path::Clean(program).Parent().Child("ringfence").text();
    Console().Line("Note: " + ShownPath(removed.path, where) + " ran " + Quote(program) +
                   ", which is still installed. To register it again, run: " + ShellWord(other) +
                   " init");
  }
}

// Removes the files of the tree. The hook must be unregistered before: a registration whose program
// is missing blocks every call.
Result<ProgramPlan> RemovePrograms(ProgramTree& tree, const std::string& home) {
  ProgramChange change(tree.prefix, tree.root);
  if (Status s = change.Open(home); !s) return s.error();
  if (Status s = ReadFileList(tree); !s) return s.error();  // Open() can restore an older one
  Result<ProgramPlan> plan = PlanRemoval(tree);
  if (!plan) return plan;
  if (Status s = change.Perform(plan->steps); !s) return s.error();
  return plan;
}

void PrintPrograms(const ProgramPlan& plan, const Path& prefix) {
  const Console console;
  console.Line("Removed " + Counted(plan.removed.size(), "file") + " of ringfence from " +
               Printable(prefix.text()) + ".");
  for (const std::string& path : plan.changed) {
    console.Line("Kept " + Quote(prefix.Child(path).text()) +
                 ", which was changed since it was installed.");
  }
}

void PrintKept(const Registration& where) {
  for (const char* folder : {"/.config/ringfence", "/.local/state/ringfence"}) {
    const std::string path = where.home + folder;
    if (!std::filesystem::is_directory(path)) continue;
    Console().Line("Kept " + ShownPath(path, where) +
                   " (policies, trust, logs); delete it if you do not need it.");
  }
}

// The command that removes the plugin; "" if it is not installed.
std::string PluginRemoval(const Registration& where) {
  // Needs no settings: whether they enable the plugin does not matter.
  const PluginState plugin = FindPlugin(where, {});
  return plugin.is_installed || plugin.is_elsewhere ? kRemovePlugin : "";
}

// `tree` is the installation to be removed, if any.
Outcome Unregister(const UninstallOptions& options, const Registration& where,
                   const std::optional<ProgramTree>& tree, OrderedJson& report) {
  Uninstaller uninstaller(where);
  if (Status s = uninstaller.Open(); !s) return s.error();
  std::vector<std::string> paths{SettingsPath(options.layers.layer(), where)};
  if (options.all) paths = uninstaller.AllFiles();
  for (const std::string& path : paths) {
    if (Status s = uninstaller.Remove(path); !s) return s.error();
  }
  if (Status s = uninstaller.Finish(); !s) return s.error();
  const std::string plugin = options.all ? PluginRemoval(where) : "";
  if (!options.json) {
    const bool is_nothing = uninstaller.removed().empty();
    if (is_nothing) PrintNothingRemoved(paths.front(), options, where);
    PrintRemoved(uninstaller.removed(), where);
    if (tree) NoteOthers(uninstaller.removed(), tree->prefix, where);
    if (!plugin.empty()) {
      Console().Line("The plugin still registers the hook. To remove it, run: " + plugin);
    }
    return 0;
  }
  const auto removed_json = [](const Removed& removed) -> OrderedJson {
    return {{"settings", removed.path},
            {"entries", removed.entries},
            {"file_is_gone", removed.is_gone || removed.was_gone},
            {"is_restored", removed.is_known}};
  };
  report["removed"] = JsonArray(uninstaller.removed(), removed_json);
  if (!plugin.empty()) report["plugin"] = plugin;
  return 0;
}

Outcome RunUninstall(const UninstallOptions& options) {
  if (Status s = RefuseAgent("uninstall"); !s) return Outcome::No(s.error());
  const Result<Registration> where = FindRegistration(options.given.home, options.project);
  if (!where) return where.error();
  // First: programs that cannot be removed stay registered.
  std::optional<ProgramTree> tree;
  if (options.programs) {
    Result<ProgramTree> own = OwnTree();
    if (!own) return own.error();
    if (IsNpms(own->prefix.text())) {
      return ConfigError(own->prefix.text(), "npm installed these programs, so npm removes them",
                         "run: npm uninstall ringfence, with -g if it is installed globally");
    }
    tree = std::move(*own);
  }
  OrderedJson report = OrderedJson::object();
  if (Outcome outcome = Unregister(options, *where, tree, report); outcome.error) return outcome;
  if (tree) {
    const Result<ProgramPlan> plan = RemovePrograms(*tree, where->home);
    if (!plan) {
      Error error = plan.error();
      error.hint +=
          std::string(error.hint.empty() ? "" : "; ") + "the hook was unregistered before";
      return error;
    }
    report["programs"] = {
        {"prefix", tree->prefix.text()}, {"removed", plan->removed}, {"kept", plan->changed}};
    if (!options.json) {
      PrintPrograms(*plan, tree->prefix);
      PrintKept(*where);
    }
  }
  if (options.json) PrintJson(report);
  return 0;
}

}  // namespace

void AddUninstall(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "uninstall", "Unregister the hook and restore the client's settings",
                 kUninstallExamples);
  const auto options = std::make_shared<UninstallOptions>();
  command.AddOption("project DIR", options->project,
                    "The project's directory (default: the current one)");
  AddLayerOptions(command, options->layers);
  command.AddFlag("--all", options->all, "Unregister it everywhere");
  command
      .AddFlag("--programs", options->programs,
               "Then remove the programs of this installation, too; only with --all")
      .Needs("--all");
  AddCommonOptions(command, options->given, options->json);
  command.OnGiven([&chosen, options] { chosen = [options] { return RunUninstall(*options); }; });
}

}  // namespace ringfence
