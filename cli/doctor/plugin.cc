#include "agents/claude/setup/plugin.h"

#include <filesystem>

#include "agents/claude/setup/settings_editor.h"
#include "base/text.h"
#include "cli/common/confinement.h"
#include "cli/common/registered.h"
#include "cli/doctor/rows.h"
#include "cli/setup/proof.h"
#include "policy/evaluate/fix.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

class PluginExam {
 public:
  PluginExam(const Patient& patient, DoctorRows& rows)
      : patient_(patient), rows_(rows), state_(FindPlugin(patient.where, patient.settings)) {}

  void Run() {
    if (!state_.is_installed) return;
    if (state_.version.empty()) return NotStarted("which has no plugin: it starts no hook by it");
    if (!state_.starts_hook) {
      return NotStarted("whose hooks/hooks.json does not start the hook for each event");
    }
    if (state_.is_on != true) return Off();
    if (!state_.off.empty()) return;  // `check` reports these settings
    std::error_code failure;
    if (!std::filesystem::is_regular_file(state_.program, failure)) {
      return Add(Health::kMissing,
                 Quote(state_.program) + " does not exist: the client blocks every call",
                 std::string("install ringfence again, or run: ") + kRemovePlugin);
    }
    if (!std::filesystem::equivalent(state_.program, patient_.hook.path, failure)) {
      return Add(Health::kWeak,
                 From() + " starts " + Quote(state_.program) + ", and this is " +
                     Quote(patient_.hook.path),
                 "run its own doctor: " +
                     ShellWord(Path::Clean(state_.program).Parent().Child("ringfence").text()) +
                     " doctor");
    }
    Prove();
  }

 private:
  void Add(Health health, std::string text, std::string fix = "") {
    rows_.push_back({health, "plugin", std::move(text), std::move(fix)});
  }

  std::string From() const {
    return "ringfence@ringfence " + Printable(state_.version) + " of " + Quote(state_.marketplace);
  }

  // True if the client starts the hook even without the plugin.
  bool IsInSettings() const {
    for (const SettingsFile& file : patient_.settings) {
      const bool is_off = !FindHookSwitches(patient_.settings, file.layer).empty();
      if (is_off || RegistrationsIn(patient_.given, {file}, patient_.hook.path).empty()) continue;
      return true;
    }
    return false;
  }

  // `why` follows the marketplace's name.
  void NotStarted(const std::string& why) {
    const bool is_safe = IsInSettings();
    const bool is_certain = state_.version.empty();
    Add(is_safe ? Health::kWeak : Health::kMissing,
        "the client runs the plugin from " + Quote(state_.marketplace) + ", " + why +
            (is_safe ? ""
                     : ", and calls " + std::string(is_certain ? "run" : "can run") + " unchecked"),
        is_safe ? kRemovePlugin : "register the hook in your settings: ringfence init");
  }

  void Off() {
    const bool is_safe = IsInSettings();
    const std::string what =
        state_.by.empty() ? "no settings file enables it" : Printable(state_.by) + " disables it";
    Add(is_safe ? Health::kWeak : Health::kMissing,
        what + (is_safe ? "; the registration in the settings decides instead"
                        : ", so calls in this project run unchecked"),
        is_safe ? "" : "register the hook in your settings as well: ringfence init");
  }

  void Prove() {
    Registration options = patient_.given;
    options.program = patient_.hook.path;
    const RealFiles disk;
    const Result<Context> context = FindTypedContext(options, disk);
    if (!context) return Add(Health::kMissing, context.error().text(), context.error().hint);
    const Result<Policy> policy = context->PolicyFor();
    if (!policy) return Add(Health::kMissing, policy.error().text(), policy.error().hint);
    const Result<Proof> proof =
        ringfence::Prove({.command = {patient_.hook.path, {"--plugin"}},
                          .home = patient_.where.home,
                          .project = context->places.root.text(),
                          .session = std::string(kDoctorSession),
                          .trial = TrialFor(*policy, context->places, patient_.where),
                          .is_logged = false});
    if (!proof) return Add(Health::kMissing, proof.error().text(), proof.error().hint);
    // `check` reports that nothing else registers the hook.
    Add(Health::kGood,
        From() + ": denied a " + proof->trial.tool + " of " + Quote(proof->trial.denied_path));
  }

  const Patient& patient_;
  DoctorRows& rows_;
  PluginState state_;
};

}  // namespace

void LookAtPlugin(const Patient& patient, DoctorRows& rows) { PluginExam(patient, rows).Run(); }

}  // namespace ringfence
