#include "cli/check/subjects.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <iterator>

#include "agents/claude/agent.h"
#include "agents/claude/setup/client_sandbox.h"
#include "base/add_once.h"
#include "base/contains.h"
#include "base/environment.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "cli/check/lint.h"
#include "cli/check/programs.h"
#include "cli/check/settings_file.h"
#include "cli/check/write_openings.h"
#include "cli/common/assumed_folder.h"
#include "cli/common/host_tools.h"
#include "cli/common/registered.h"
#include "cli/common/state.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "policy/load/load.h"
#include "run/typed_context.h"
#include "sandbox/backend.h"

namespace ringfence {
namespace {

// True if a policy at this path belongs to a project.
bool IsOfProject(const std::string& absolute) {
  const std::string own = ProjectPolicyPath("");
  return absolute.ends_with(own) && absolute.size() > own.size();
}

bool IsManagedFile(const std::filesystem::path& file) {
  return file.filename() == "managed-settings.json" ||
         file.parent_path().filename() == "managed-settings.d";
}

bool IsSettingsFile(const std::filesystem::path& file) {
  return file.filename() == "settings.json" || file.filename() == "settings.local.json" ||
         IsManagedFile(file);
}

// Context and policies of one registration. The policies point into the sources.
struct InForce {
  Context context;
  std::vector<PolicySource> of_project;
  Policy here;   // from all sources
  Policy users;  // without the project's source
};

class Checker {
 public:
  explicit Checker(const CheckQuestion& question) : question_(question) {}

  Result<Checked> RunFiles() {
    for (const std::string& file : question_.files) {
      Result<std::optional<std::string>> text = ReadIfThere(Absolute(file));
      if (!text || !*text) {
        checked_.unread.push_back(text ? Missing(file) : text.error());
        continue;
      }
      checked_.subjects.push_back(file);
      if (IsSettingsFile(file)) {
        CheckSettings(file, **text);
        continue;
      }
      Result<Places> places = PlacesFor(file);
      if (!places) return places.error();
      CheckPolicy({.text = **text,
                   .path = Absolute(file),
                   .shown = file,
                   .of_project = IsOfProject(Absolute(file))},
                  *places);
    }
    return std::move(checked_);
  }

  Result<Checked> RunEverything() {
    const Registration& given = question_.given;
    if (Status s = FindProject(given.home, given.root).MoveTo(where_); !s) return s.error();
    checked_.home = where_.home;
    if (Status s = FindHookProgram(question_.hook).MoveTo(hook_); !s) return s.error();
    if (Status s = ReadSettingsFiles(where_).MoveTo(settings_); !s) return s.error();
    for (const Registered& registered :
         RegistrationsInForce(question_.given, settings_, hook_.path)) {
      if (Status s = CheckPolicies(registered); !s) return s.error();
    }
    CheckAllSettings();
    CheckPrograms();
    return std::move(checked_);
  }

 private:
  static Error Missing(const std::string& file) {
    return UsageError(Quote(file), "does not exist", "name a policy or a settings file");
  }

  void Take(Findings findings) {
    for (Finding& finding : findings) Add(checked_.findings, std::move(finding));
  }
  void Wrong(Error error) {
    Add(checked_.findings, Severity::kError, "unusable", std::move(error));
  }

  // Returns the places in which rules are evaluated. The project is --root, else the one that the
  // policy belongs to, else the current directory. If that cannot be one, it is
  // kNowhere: in the home, "." would cover all rules about the home.
  Result<Places> PlacesFor(const std::string& file) const {
    Registration registration{.agent = &ClaudeCode()};
    const std::string absolute = Absolute(file);
    if (!question_.given.root.empty()) {
      registration.root = Absolute(question_.given.root);
    } else if (IsOfProject(absolute)) {
      registration.project_dir = absolute.substr(0, absolute.size() - ProjectPolicyPath("").size());
    } else {
      registration.project_dir = CurrentDirectory();
    }
    const char* home = std::getenv("HOME");
    registration.home = question_.given.home;
    if (registration.home.empty() && home != nullptr) registration.home = home;
    registration.user = ::geteuid();
    Result<Places> places = FindPlaces(registration, disk_);
    if (places || places.error().kind != Error::Kind::kUsage) return places;
    registration.project_dir = kNowhere;
    return FindPlaces(registration, AssumedFolder(disk_, kNowhere));
  }

  // Derives the registration from the path of a settings file: "PROJECT/.claude/settings.json".
  Registration AroundSettings(const Path& file) const {
    const Result<Registration> here = FindRegistration(question_.given.home, "");
    Registration where = here ? *here : Registration{.agent = &ClaudeCode()};
    if (file.Parent().name() == ".claude") where.project_dir = file.Parent().Parent().text();
    return where;
  }

  static SettingsLayer LayerOf(const std::filesystem::path& file, const Registration& where) {
    if (IsManagedFile(file)) return SettingsLayer::kManaged;
    if (file.filename() == "settings.local.json") return SettingsLayer::kLocal;
    const bool is_of_project = file.parent_path().filename() == ".claude" &&
                               file != SettingsPath(SettingsLayer::kUser, where);
    return is_of_project ? SettingsLayer::kProject : SettingsLayer::kUser;
  }

  void CheckSettings(const std::string& shown, std::string text) {
    const Result<HookProgram> hook = FindHookProgram(question_.hook);
    const std::string program = hook ? hook->path : std::string("/ringfence-hook");
    const Registration where = AroundSettings(Path::Clean(Absolute(shown)));
    SettingsFile file;
    file.path = Absolute(shown);
    file.layer = LayerOf(file.path, where);
    file.settings =
        ParseClientSettings(IsBlank(text) ? "{}" : std::move(text), shown, Absolute(shown));
    Take(CheckSettingsFile({.file = file,
                            .program = program,
                            .approvals = {},
                            .where = where,
                            .is_elsewhere = question_.elsewhere}));
  }

  // Reports all mistakes in the file, and lints it if it is valid. Returns false if it is not.
  bool CheckPolicy(PolicyText text, const Places& places) {
    std::vector<Error> mistakes;
    PolicySources alone;
    alone.built_in = LoadPolicy(BuiltInPolicy(ClaudeCode()), mistakes);
    text.agent = &ClaudeCode();
    auto file = LoadPolicy(std::move(text), mistakes);
    for (Error& mistake : mistakes) Wrong(std::move(mistake));
    if (file == nullptr) return false;
    alone.sources.push_back({Layer::kUser, true, std::move(file)});
    Take(LintPolicy({alone, places, disk_}));
    return true;
  }

  std::vector<std::string> PolicyPaths(const Registered& registered) const {
    std::vector<std::string> paths{kManagedPolicy};
    if (registered.options.policy.empty()) {
      paths.push_back(
          UserPolicyPath(registered.options.home.empty() ? where_.home : registered.options.home));
      paths.push_back(ProjectPolicyPath(registered.options.root.empty()
                                            ? where_.project_dir
                                            : Absolute(registered.options.root)));
    } else {
      paths.push_back(Absolute(registered.options.policy));
    }
    return paths;
  }

  // Reports the error at the place of the registration, if it has one.
  void ReportMistake(const Registered& registered, Error error) {
    if (!registered.place.empty()) {
      error.where = registered.place + (error.where.empty() ? "" : ": " + error.where);
    }
    Wrong(std::move(error));
  }

  // Checks each policy separately, then all of them merged as the hook does.
  Status CheckPolicies(const Registered& registered) {
    const Result<Places> places = PlacesFor(ProjectPolicyPath(where_.project_dir));
    if (!places) return places.error();
    bool is_sound = true;
    for (const std::string& path : PolicyPaths(registered)) {
      const std::string shown = ShownPath(path, where_);
      const bool is_known = Contains(checked_.subjects, shown);
      Result<std::optional<std::string>> text = ReadIfThere(path);
      if (!text) {
        is_sound = false;
        Wrong(text.error());
      } else if (*text) {
        if (!is_known) checked_.subjects.push_back(shown);
        const bool of_project = registered.options.policy.empty() && IsOfProject(path);
        is_sound &= CheckPolicy(
            {.text = **text, .path = path, .shown = shown, .of_project = of_project}, *places);
      }
    }
    if (is_sound) CheckTogether(registered);
    return Unit{};
  }

  void CheckTogether(const Registered& registered) {
    Result<Context> context = FindTypedContext(registered.options, disk_);
    if (!context) return ReportMistake(registered, context.error());
    for (const std::string& note : context->sources.notes) {
      Add(checked_.findings, Severity::kWarning, "untrusted-policy", ConfigError("", note));
    }
    const Result<Policy> policy = context->PolicyFor();
    if (!policy) return ReportMistake(registered, policy.error());
    wraps_bash_ |= policy->wrap_bash;
    if (const PathRule* beyond = FirstBeyond(policy->read)) reads_beyond_ = beyond->written();
    if (const PathRule* beyond = FirstBeyond(policy->write)) writes_beyond_ = beyond->written();
    Take(LintTogether({context->sources, context->places, disk_}, context->registration.profile,
                      BypassingSettings()));
    if (project_real_.empty()) project_real_ = context->places.root_real.text();
    KeepRights({std::move(*context), {}, *policy, {}});
  }

  void KeepRights(InForce in_force) {
    InForce& kept = in_force_.emplace_back(std::move(in_force));
    std::vector<PolicySource>& sources = kept.context.sources.sources;
    const auto projects = std::stable_partition(
        sources.begin(), sources.end(),
        [](const PolicySource& source) { return source.layer != Layer::kProject; });
    std::move(projects, sources.end(), std::back_inserter(kept.of_project));
    sources.erase(projects, sources.end());
    Result<Policy> users = kept.context.PolicyFor();
    // If only the project's policy has the profile, there is nothing to compare.
    kept.users = users ? std::move(*users) : kept.here;
    const Places& places = kept.context.places;
    rights_.push_back({{kept.here, places, disk_}, {kept.users, places, disk_}});
  }

  std::string BypassingSettings() const {
    for (const SettingsFile& file : settings_) {
      const bool counts = file.settings.drops.empty();
      if (counts && file.settings.permission_mode == "bypassPermissions") return file.settings.name;
    }
    return "";
  }

  void CheckAllSettings() {
    RegistrationQuestion question;
    const auto approvals = ReadApprovalsFile(where_.home);
    if (!approvals) {
      Wrong(approvals.error());
    } else {
      question.approvals = approvals->value;
    }
    question.program = hook_.path;
    question.where = where_;
    question.wraps_bash = wraps_bash_;
    question.reads_beyond = reads_beyond_;
    question.writes_beyond = writes_beyond_;
    programs_ = {hook_.path};
    for (const SettingsFile& file : settings_) {
      if (file.text) checked_.subjects.push_back(file.settings.name);
      for (const HookEntry& entry : file.settings.hooks) {
        // CheckRegistration() reports an entry that is a shell command instead of a program.
        const bool is_other = Runs(entry, hook_.path) && entry.is_exec_form &&
                              entry.command.starts_with('/') && !Contains(programs_, entry.command);
        if (is_other) programs_.push_back(entry.command);
      }
    }
    question.files = settings_;
    Take(CheckRegistration(question));
    if (!wraps_bash_) CheckOpenings();
  }

  void CheckOpenings() {
    const auto records = ReadRecords(where_.home);
    if (!records) return Wrong(records.error());
    Take(FindSandboxOpenings({settings_, records->value, where_, rights_}));
  }

  // The programs that are installed together; the launcher starts the others.
  void AddOwnPrograms() {
    if (hook_.command.empty()) return;
    const Path folder = Path::Clean(hook_.command).Parent();
    AddOnce(programs_, hook_.command);
    for (const char* name : {"ringfence", "ringfence-stage"}) {
      AddOnce(programs_, folder.Child(name).text());
    }
    if (ProbeHost({}).has_proxy) AddOnce(programs_, folder.Child("ringfence-proxy").text());
  }

  void CheckPrograms() {
    AddOwnPrograms();
    for (const std::string& program : programs_) {
      checked_.subjects.push_back(program);
      Take(CheckProgram({program, project_real_}));
    }
    if (hook_.is_immune_to_preloading) return;
    Add(checked_.findings, Severity::kWarning, "dynamic-program",
        ConfigError(
            Quote(hook_.path),
            "is not a static program: LD_PRELOAD in the settings of a project can silence it",
            "use the ringfence-hook that install.sh builds"));
  }

  const CheckQuestion& question_;
  const RealFiles disk_;
  Registration where_;
  HookProgram hook_;
  std::vector<SettingsFile> settings_;
  bool wraps_bash_ = false;
  std::string reads_beyond_;
  std::string writes_beyond_;
  std::deque<InForce> in_force_;  // `rights_` points into it
  std::vector<RightsInForce> rights_;
  std::string project_real_;
  std::vector<std::string> programs_;
  Checked checked_;
};

}  // namespace

Result<Checked> CheckFiles(const CheckQuestion& question) { return Checker(question).RunFiles(); }
Result<Checked> CheckEverything(const CheckQuestion& question) {
  return Checker(question).RunEverything();
}

}  // namespace ringfence
