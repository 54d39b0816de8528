#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agents/claude/setup/agent_guard.h"
#include "base/contains.h"
#include "base/environment.h"
#include "base/joined.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/command_line/options.h"
#include "cli/common/console.h"
#include "cli/common/file_place.h"
#include "cli/common/init_command.h"
#include "cli/common/state.h"
#include "cli/setup/program_change.h"
#include "cli/setup/program_files.h"
#include "cli/setup/program_plan.h"
#include "files/beneath.h"
#include "policy/evaluate/fix.h"

namespace ringfence {
namespace {

struct CopyOptions {
  Registration given;
  bool json = false;
  bool dry_run = false;
  std::string prefix;
};

struct CopyReport {
  std::string prefix;
  ProgramPlan plan;
  size_t files = 0;
  bool is_registered = false;  // a hook of any installation
  std::vector<std::string> notes;
};

constexpr const char* kCopyExamples =
    "  ringfence install                 copy the programs to ~/.local\n"
    "  ringfence install --prefix DIR    copy them to DIR\n"
    "  ringfence install --dry-run       show what would change\n\n"
    "Copies the installation that this program belongs to, for example out of npm's cache or a\n"
    "directory that you unpacked, to a place that stays. ringfence init then registers the hook\n"
    "there, and ringfence uninstall --all --programs removes everything again.";

// Directories that package managers and the system own.
constexpr std::string_view kSystemFolders[] = {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc"};

// The prefix to copy to, with links resolved: its directories are opened once.
class CopyTarget {
 public:
  static Result<CopyTarget> Find(const std::string& option, const std::string& home) {
    const std::string named = option.empty() ? home + "/.local" : Absolute(option);
    if (!named.starts_with('/')) return NoCurrentDirectory("name an absolute path: --prefix");
    // A name that does not exist below the prefix, so that the prefix is the place's directory.
    const Path prefix = Path::Clean(named);
    Result<FilePlace> place = FilePlace::Find(prefix.Child(TemporaryName()).text());
    if (place) return CopyTarget(std::move(*place));
    Error error = place.error();
    if (error.code == 0) return error;
    error.where = prefix.text();
    if (error.code != ENOTDIR) return error;
    return ConfigError(error.where, "a file is in the way: a directory is needed here",
                       "name another directory: --prefix DIR");
  }

  Path prefix() const { return place_.path().Parent(); }

  Status CheckOwner() const {
    struct stat facts {};
    if (::fstat(place_.folder(), &facts) != 0) return SystemError("fstat(" + text() + ")");
    const bool is_missing = !place_.MissingFolders().empty();
    const std::string what = is_missing ? "its nearest existing directory " : "";
    if (facts.st_uid != ::geteuid()) {
      return ConfigError(text(), what + "belongs to another user",
                         "run it as that user, or name a directory of your own: --prefix DIR");
    }
    const bool is_open = (facts.st_mode & S_IWOTH) != 0;
    const bool is_sticky = (facts.st_mode & S_ISVTX) != 0;  // keeps the new directory its owner's
    if (is_open && !(is_missing && is_sticky)) {
      return ConfigError(text(), what + "can be written by every user, who could replace the hook",
                         "name another directory: --prefix DIR");
    }
    return Unit{};
  }

  Status CheckPlace(const ProgramTree& source) const {
    const Path path = prefix();
    if (ShellWord(path.text()).empty()) {
      return ConfigError(Quote(path.text()), "no command can name this path",
                         "name another directory: --prefix DIR");
    }
    const auto is_in = [&path](std::string_view folder) {
      return path.IsInside(Path::Clean(folder)) && !path.IsInside(Path::Clean("/usr/local"));
    };
    if (path.is_root() || std::ranges::any_of(kSystemFolders, is_in)) {
      return ConfigError(text(), "belongs to the system and its package manager",
                         "install the package there, or name another directory: --prefix DIR");
    }
    if (path != source.prefix && path.IsInside(source.prefix)) {
      return ConfigError(text(),
                         "is inside the installation to copy, " + Quote(source.prefix.text()),
                         "name another directory: --prefix DIR");
    }
    return Unit{};
  }

  // Opens the prefix, and creates it unless `is_trial`; leaves `tree` without a root if it does not
  // exist.
  Status Open(ProgramTree& tree, bool is_trial) {
    tree.prefix = prefix();
    made_ = place_.MissingFolders();
    if (is_trial && !made_.empty()) return Unit{};
    if (Status s = place_.MakeFolders(0755); !s) return s;
    tree.root = UniqueFd(::openat(place_.folder(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return CallStatus(tree.root.valid(), "open(" + text() + ")");
  }

  // Removes the directories that Open() made, if they are empty.
  void RemoveMade() const {
    for (size_t i = made_.size(); i > 0; --i) ::rmdir(made_[i - 1].c_str());
  }

 private:
  explicit CopyTarget(FilePlace place) : place_(std::move(place)) {}
  std::string text() const { return prefix().text(); }

  FilePlace place_;
  std::vector<std::string> made_;
};

std::string ProgramIn(const std::string& prefix) { return ShellWord(prefix + "/bin/ringfence"); }

// Returns the registration that a record describes: its settings file is in this place.
std::optional<std::string> InitFor(const SettingsRecord& record, const Registration& where) {
  for (const SettingsLayer layer : kSettingsLayers) {
    Registration there = where;
    if (IsPerProject(layer)) {
      there.project_dir = Path::Clean(record.path).Parent().Parent().text();
    }
    if (!LeadToOneFile(SettingsPath(layer, there), record.path)) continue;
    const Result<SettingsFile> file = ReadSettingsFile(layer, there);
    if (file) return InitCommand(*file, there);
  }
  return {};
}

// Notes each registration that runs the hook of another installation.
void NoteRegistrations(const std::vector<SettingsRecord>& records, const Registration& where,
                       CopyReport& report) {
  const std::string hook = report.prefix + "/bin/ringfence-hook";
  for (const SettingsRecord& record : records) {
    report.is_registered = report.is_registered || !record.program.empty();
    const bool is_other = !record.program.empty() && !LeadToOneFile(record.program, hook);
    if (!is_other || !record.serves.empty()) continue;
    constexpr std::string_view kName = "ringfence";
    const std::optional<std::string> init = InitFor(record, where);
    const std::string command = init ? init->substr(kName.size()) : " init";
    report.notes.push_back(ShownPath(record.path, where) + " runs " + Quote(record.program) +
                           "; to run the hook that was installed now: " + ProgramIn(report.prefix) +
                           command);
  }
}

void NotePath(CopyReport& report) {
  const std::string bin = report.prefix + "/bin";
  const std::string path = Variable("PATH");
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view entry = TakeUntil(rest, ':');
    if (entry.starts_with('/') && LeadToOneFile(std::string(entry), bin)) return;
  }
  report.notes.push_back(Quote(bin) + " is not in PATH: add it, or run " +
                         ProgramIn(report.prefix));
}

// A user may miss a file that the earlier installation had.
void NoteRemoved(bool dry_run, CopyReport& report) {
  constexpr size_t kMostNames = 4;
  const std::vector<std::string>& removed = report.plan.removed;
  if (removed.empty()) return;
  const auto names = std::span(removed).first(std::min(removed.size(), kMostNames));
  std::string note = dry_run ? "would remove" : "removed";
  note += " from the earlier installation, since this one does not have them: " +
          Joined(names, ", ", [](const std::string& path) { return Quote(path); });
  if (const size_t more = removed.size() - names.size(); more > 0) {
    note += " and " + Grouped(more) + " more";
  }
  report.notes.push_back(std::move(note));
}

void NoteChanged(CopyReport& report) {
  for (const std::string& path : report.plan.changed) {
    report.notes.push_back(Quote(report.prefix + "/" + path) +
                           " was changed since it was installed, so it was kept");
  }
}

Result<ProgramPlan> CopyTo(const ProgramTree& source, CopyTarget& target,
                           const CopyOptions& options, const std::string& home) {
  ProgramTree there;
  if (Status s = target.Open(there, options.dry_run); !s) return s.error();
  ProgramChange change(there.prefix, there.root);
  if (!options.dry_run) {
    if (Status s = change.Open(home); !s) return s.error();
  }
  if (there.root.valid()) {
    if (Status s = ReadFileList(there); !s) return s.error();
  }
  Result<ProgramPlan> plan = PlanCopy(source, there);
  if (!plan || options.dry_run) return plan;
  if (Status s = change.Perform(plan->steps); !s) return s.error();
  return plan;
}

Result<CopyReport> CopyPrograms(const CopyOptions& options) {
  const Result<Registration> where = FindRegistration(options.given.home, "");
  if (!where) return where.error();
  const Result<ProgramTree> source = OwnTree();
  if (!source) return source.error();
  Result<CopyTarget> target = CopyTarget::Find(options.prefix, where->home);
  if (!target) return target.error();
  if (Status s = target->CheckPlace(*source); !s) return s.error();
  if (Status s = target->CheckOwner(); !s) return s.error();
  const auto records = ReadRecords(where->home);  // before anything is copied
  if (!records) return records.error();
  CopyReport report{.prefix = target->prefix().text(), .files = source->files.size()};
  if (Status s = CopyTo(*source, *target, options, where->home).MoveTo(report.plan); !s) {
    target->RemoveMade();
    return s.error();
  }
  NoteRemoved(options.dry_run, report);
  NoteChanged(report);
  NotePath(report);
  NoteRegistrations(records->value, *where, report);
  return report;
}

void PrintCopied(const CopyReport& report, bool dry_run) {
  const Console console;
  const std::string place = " in " + console.In(Tone::kStrong, Printable(report.prefix));
  const ProgramPlan& plan = report.plan;
  if (plan.steps.empty()) {
    console.Line("Ringfence " RINGFENCE_VERSION " is already installed" + place +
                 "; nothing was changed.");
  } else {
    std::string line = dry_run ? "Would install ringfence " : "Installed ringfence ";
    line += RINGFENCE_VERSION + place + ": " + Counted(plan.written, "file") + " written";
    if (!plan.removed.empty()) line += ", " + Counted(plan.removed.size(), "old file") + " removed";
    console.Line(line + ".");
  }
  for (const std::string& note : report.notes) console.Line("Note: " + note + ".");
  if (!report.is_registered && !dry_run) {
    console.Line("To register the hook, run: " + ProgramIn(report.prefix) + " init");
  }
}

Outcome RunCopy(const CopyOptions& options) {
  if (!options.dry_run) {
    if (Status s = RefuseUnattended("install"); !s) return Outcome::No(s.error());
  }
  const Result<CopyReport> report = CopyPrograms(options);
  if (!report) return report.error();
  if (!options.json) {
    PrintCopied(*report, options.dry_run);
    return 0;
  }
  PrintJson({{"prefix", report->prefix},
             {"version", RINGFENCE_VERSION},
             {"dry_run", options.dry_run},
             {"changed", !report->plan.steps.empty()},
             {"files", report->files},
             {"written", report->plan.written},
             {"removed", report->plan.removed},
             {"kept", report->plan.changed},
             {"notes", report->notes}});
  return 0;
}

}  // namespace

void AddInstall(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "install", "Copy the programs to a place that stays", kCopyExamples);
  const auto options = std::make_shared<CopyOptions>();
  command.AddOption("--prefix DIR", options->prefix, "Copy them to DIR (default: ~/.local)");
  command.AddFlag("--dry-run", options->dry_run, "Show what would change, and change nothing");
  AddCommonOptions(command, options->given, options->json);
  command.OnGiven([&chosen, options] { chosen = [options] { return RunCopy(*options); }; });
}

}  // namespace ringfence
