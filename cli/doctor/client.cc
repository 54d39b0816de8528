#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "cli/doctor/rows.h"
#include "cli/process.h"
#include "cli/proof.h"

namespace ringfence {
namespace {

// The client's versions, as its notes tell them.
struct Since {
  std::vector<int> version;
  const char* what;
  Health without;
};
const Since kSince[] = {
    {{2, 1, 295}, "onFailure: a hook that fails lets the call through", Health::kMissing},
    {{2, 1, 257}, "blockReadsOutsideWorkingDirectories", Health::kWeak},
    {{2, 1, 314}, "blockWritesOutsideWorkingDirectories", Health::kWeak},
};
const std::vector<int> kMeasured = {2, 1, 330};

std::string Text(const std::vector<int>& version) {
  std::string text;
  for (const int part : version) text += (text.empty() ? "" : ".") + std::to_string(part);
  return text;
}

void Add(DoctorRows& rows, Health health, std::string text, std::string mend = "") {
  rows.push_back({health, "client", std::move(text), std::move(mend)});
}

// The first program of the name in PATH: whoever types the command starts that one too.
std::string FindClient() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
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
  while (!text.empty() && text[0] >= '0' && text[0] <= '9' && version.size() < 4) {
    size_t digits = 0;
    int value = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && digits < 6) {
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
    return Add(rows, Health::kWeak, "no \"claude\" is in PATH", "name it: --client PATH");
  }
  const Result<Finished> said =
      Run({.program = program,
           .arguments = {"--version"},
           .environment = {"HOME=" + patient.where.home, "PATH=/usr/local/bin:/usr/bin:/bin"},
           .limit = std::chrono::seconds(30)});
  const std::vector<int> version = said ? ParseVersion(said->out) : std::vector<int>{};
  if (version.empty()) {
    return Add(
        rows, Health::kWeak,
        Quote(program) + " does not say its version" + (said ? "" : ": " + said.error().text()));
  }
  const std::string name = "Claude Code " + Text(version) + " (" + Printable(program) + ")";
  bool is_old = false;
  for (const Since& since : kSince) {
    if (version >= since.version) continue;
    is_old = true;
    Add(rows, since.without,
        name + " is older than " + Text(since.version) + " and has no " + since.what,
        "update the client");
  }
  if (is_old) return;
  if (version > kMeasured) {
    return Add(rows, Health::kGood,
               name + "; what ringfence knows of the client was measured on " + Text(kMeasured));
  }
  Add(rows, Health::kGood, name);
}

// That there is none says `ringfence check`.
void LookAtRegistration(const Patient& patient, DoctorRows& rows) {
  for (const SettingsFile& file : patient.settings) {
    if (!file.settings.drops.empty()) continue;
    for (const HookEntry& entry : file.settings.hooks) {
      if (entry.event != ServedEvents().front() || !Runs(entry, patient.hook.path)) continue;
      const Result<Proof> proof = Prove(
          {.command = {entry.command, entry.args},
           .home = patient.where.home,
           .project = patient.ground.places.root.text(),
           .permitted_path = PermittedRead(patient.policy, patient.ground.places, patient.where)});
      if (!proof) {
        rows.push_back({Health::kMissing, "registration", entry.place + ": " + proof.error().text(),
                        "run: ringfence init"});
        continue;
      }
      rows.push_back({Health::kGood, "registration",
                      entry.place + ": denied a Read of " + Quote(proof->denied_path) +
                          (proof->permitted_path.empty()
                               ? ""
                               : ", let one of " + Quote(proof->permitted_path) + " pass"),
                      ""});
    }
  }
}

}  // namespace ringfence
