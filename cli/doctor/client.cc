#include <cstdlib>
#include <filesystem>

#include "base/ascii.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/check/programs.h"
#include "cli/common/confinement.h"
#include "cli/common/init_command.h"
#include "cli/common/registered.h"
#include "cli/doctor/rows.h"
#include "cli/setup/proof.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

// Client versions that introduced a feature, from the client's release notes.
struct SinceVersion {
  std::vector<int> version;
  const char* what;
  Health without;
};
const SinceVersion kSince[] = {
    {{2, 1, 295}, "onFailure: a hook that fails lets the call through", Health::kMissing},
    {{2, 1, 257}, "blockReadsOutsideWorkingDirectories", Health::kWeak},
    {{2, 1, 314}, "blockWritesOutsideWorkingDirectories", Health::kWeak},
};
const std::vector<int> kMeasured = {2, 1, 331};

std::string Text(const std::vector<int>& version) {
  std::string text;
  for (const int part : version) text += (text.empty() ? "" : ".") + std::to_string(part);
  return text;
}

void AddRow(DoctorRows& rows, Health health, std::string text, std::string fix = "") {
  rows.push_back({health, "client", std::move(text), std::move(fix)});
}

// Returns the first "claude" in PATH, which a shell starts as well; "" if there is none.
std::string FindClient() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = TakeUntil(rest, ':');
    const std::filesystem::path program = std::filesystem::path(folder) / "claude";
    std::error_code failure;
    if (folder.starts_with('/') && std::filesystem::is_regular_file(program, failure)) {
      return program.string();
    }
  }
  return "";
}

}  // namespace

std::vector<int> ParseVersion(std::string_view text) {
  std::vector<int> version;
  while (!text.empty() && IsDigit(text[0]) && version.size() < 4) {
    size_t digits = 0;
    int value = 0;
    while (digits < text.size() && IsDigit(text[digits]) && digits < 6) {
      value = value * 10 + (text[digits++] - '0');
    }
    version.push_back(value);
    text.remove_prefix(digits);
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  return version.size() < 3 ? std::vector<int>{} : version;
}

void LookAtClient(const Patient& patient, DoctorRows& rows) {
  const std::string program = patient.client.empty() ? FindClient() : patient.client;
  if (program.empty()) {
    return AddRow(rows, Health::kWeak, "no \"claude\" is in PATH", "name it: --client PATH");
  }
  const Result<Finished> said =
      Run({.program = program,
           .arguments = {"--version"},
           .environment = {"HOME=" + patient.where.home, "PATH=/usr/local/bin:/usr/bin:/bin"},
           .limit = std::chrono::seconds(30)});
  const std::vector<int> version = said ? ParseVersion(said->out) : std::vector<int>{};
  if (version.empty()) {
    return AddRow(
        rows, Health::kWeak,
        Quote(program) + " does not report its version" + (said ? "" : ": " + said.error().text()),
        "name the client's program: --client PATH");
  }
  const std::string name = "Claude Code " + Text(version) + " (" + Printable(program) + ")";
  bool is_old = false;
  for (const SinceVersion& since : kSince) {
    if (version >= since.version) continue;
    is_old = true;
    AddRow(rows, since.without,
           name + " is older than " + Text(since.version) + " and has no " + since.what,
           "update the client: claude update");
  }
  if (is_old) return;
  if (version > kMeasured) {
    return AddRow(rows, Health::kGood, name + "; ringfence was tested up to " + Text(kMeasured));
  }
  AddRow(rows, Health::kGood, name);
}

namespace {

void LookAtEntry(const Patient& patient, const SettingsFile& file, const HookEntry& entry,
                 DoctorRows& rows) {
  const Result<Registration> options = RegistrationOf(entry, patient.given);
  if (!options) return;  // `check` reports this error
  const auto wrong = [&](const Error& error) {
    rows.push_back({Health::kMissing, "registration", entry.place + ": " + error.text(),
                    error.hint.empty() ? "see the rows above, or register it again: " +
                                             InitCommand(file, patient.where)
                                       : error.hint});
  };
  const RealFiles disk;
  const Result<Context> context = FindTypedContext(*options, disk);
  if (!context) return wrong(context.error());
  const Result<Policy> policy = context->PolicyFor();
  if (!policy) return wrong(policy.error());
  const Result<Proof> proof = Prove({.command = {patient.hook.path, entry.args},
                                     .home = patient.where.home,
                                     .project = context->places.root.text(),
                                     .session = std::string(kDoctorSession),
                                     .trial = TrialFor(*policy, context->places, patient.where),
                                     .is_logged = false});
  if (!proof) return wrong(proof.error());
  const Trial& trial = proof->trial;
  rows.push_back({Health::kGood, "registration",
                  entry.place + ": denied a " + trial.tool + " of " + Quote(trial.denied_path) +
                      (trial.permitted_path.empty()
                           ? ""
                           : ", let a Read of " + Quote(trial.permitted_path) + " pass"),
                  ""});
}

}  // namespace

// Leaves registrations that are missing, different or not in force to `ringfence check`.
void LookAtRegistration(const Patient& patient, DoctorRows& rows) {
  for (const SettingsFile& file : patient.settings) {
    const bool is_off = !FindHookSwitches(patient.settings, file.layer).empty();
    if (is_off || !MayRunHooks(file)) continue;
    for (const HookEntry& entry : file.settings.hooks) {
      const bool decides = entry.event == ServedEvents().front();
      // Never starts another program with the hook's name: the project may contain one.
      const bool is_ours = Runs(entry, patient.hook.path) && entry.is_exec_form &&
                           IsSameProgram(entry.command, patient.hook.path);
      if (decides && is_ours) LookAtEntry(patient, file, entry, rows);
    }
  }
}

}  // namespace ringfence
