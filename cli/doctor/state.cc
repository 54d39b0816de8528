#include <sys/stat.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "agents/claude/agent.h"
#include "agents/claude/settings/settings.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/doctor/rows.h"
#include "policy/load/trust.h"

namespace ringfence {
namespace {

std::string Octal(mode_t mode) {
  std::string text;
  for (int shift = 6; shift >= 0; shift -= 3)
    text += static_cast<char>('0' + ((mode >> shift) & 7));
  return "0" + text;
}

// Checks that the file or directory belongs to the user and has no mode bits beyond `most`: other
// users must not change or read it.
void LookAtMode(const std::string& path, mode_t most, DoctorRows& rows) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT) return;
    rows.push_back(
        {Health::kMissing, "permissions", SystemError("lstat(" + path + ")").text(), ""});
    return;
  }
  const mode_t mode = facts.st_mode & 0777;
  if (S_ISLNK(facts.st_mode)) {
    rows.push_back({Health::kWeak, "permissions", Quote(path) + " is a link",
                    "replace the link with the file"});
  } else if (facts.st_uid != ::geteuid()) {
    rows.push_back({Health::kMissing, "permissions",
                    Quote(path) + " belongs to user " + std::to_string(facts.st_uid),
                    "chown it to the user who runs the client"});
  } else if ((mode & ~most) != 0) {
    rows.push_back(
        {Health::kMissing, "permissions",
         Quote(path) + " has mode " + Octal(mode) + "; it should be at most " + Octal(most),
         "chmod " + Octal(most) + " " + path});
  } else {
    rows.push_back({Health::kGood, "permissions", Quote(path) + " has mode " + Octal(mode), ""});
  }
}

// Times in the log and in alerts come from the system clock (ntp_adjtime(3)).
void LookAtClock(DoctorRows& rows) {
  timex clock{};
  const int state = ::ntp_adjtime(&clock);
  constexpr time_t kBuilt = 1760000000;  // October 2025: a correct clock is later
  if (::time(nullptr) < kBuilt) {
    rows.push_back(
        {Health::kWeak, "clock", "the clock is years behind", "set it, and synchronise it"});
  } else if (state < 0 || state == TIME_ERROR || (clock.status & STA_UNSYNC) != 0) {
    rows.push_back({Health::kWeak, "clock", "the clock is not synchronised",
                    "run chrony, systemd-timesyncd or ntpd if times of the log matter"});
  } else {
    rows.push_back({Health::kGood, "clock", "synchronised", ""});
  }
}

// Code inside the client: mods, and what the model writes in Code Mode.

constexpr std::string_view kCodeMode = "/env/CLAUDE_CODE_EXPERIMENTAL_CODE_MODE";
constexpr size_t kMaxNamed = 5;

std::string NamesIn(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failure;
  std::string names;
  size_t count = 0;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (++count > kMaxNamed) continue;
    names += (names.empty() ? "" : ", ") + Quote(entry->path().filename().string(), 60);
  }
  if (count > kMaxNamed) names += " and " + std::to_string(count - kMaxNamed) + " more";
  return names;
}

void LookAtMods(const Patient& patient, DoctorRows& rows) {
  const Registration& where = patient.where;
  std::vector<std::string> folders{where.home + "/" + std::string(ClaudeCode().state.folder)};
  if (!where.config_dir.empty()) folders.push_back(where.config_dir);
  for (const std::string& folder : folders) {
    const std::string mods = folder + "/dev-mods";
    const std::string names = NamesIn(mods);
    if (names.empty()) continue;
    rows.push_back({Health::kWeak, "mods",
                    "mods in " + ShownPath(mods, where) + " (" + names +
                        "): they run inside the client, outside of every sandbox but that of "
                        "\"ringfence run -- claude\"",
                    "read them, and remove what you did not write; in managed settings "
                    "\"allowManagedModsOnly\" turns them off"});
  }
}

bool IsOn(std::string_view value) { return value == "1" || value == "true" || value == "on"; }

// Returns where Code Mode is switched on; "" if it is off.
std::string CodeModeFrom(const Patient& patient) {
  for (const SettingsFile& file : patient.settings) {
    const std::vector<std::string>* value = file.settings.Texts(kCodeMode);
    if (value != nullptr && !value->empty() && IsOn(value->front())) {
      return ShownPath(file.path, patient.where);
    }
  }
  const char* value = std::getenv("CLAUDE_CODE_EXPERIMENTAL_CODE_MODE");
  return value != nullptr && IsOn(value) ? "the environment" : "";
}

}  // namespace

void LookAtState(const Patient& patient, DoctorRows& rows) {
  const std::string folder = StateFolder(patient.where.home);
  LookAtMode(folder, 0700, rows);
  LookAtMode(TrustStorePath(patient.where.home), 0600, rows);
  LookAtMode(ApprovalsPath(patient.where.home), 0600, rows);
  LookAtClock(rows);
}

void LookAtPolicies(const Patient& patient, DoctorRows& rows) {
  for (const PolicySource& source : patient.context->sources.sources) {
    rows.push_back(
        {source.trusted ? Health::kGood : Health::kWeak, "policy",
         Printable(source.file->shown) + (source.trusted ? " is in force" : " is not trusted"),
         source.trusted ? "" : "read it, then run: ringfence trust"});
  }
  if (patient.context->sources.sources.empty()) {
    rows.push_back({Health::kGood, "policy", "no file: the built-in policy is in force", ""});
  }
  std::string text = "project " + Quote(patient.context->places.root.text());
  if (!patient.policy->profile.empty()) text += ", profile " + Quote(patient.policy->profile);
  text += patient.policy->permitted == Permitted::kAllow ? ", permitted calls run without a prompt"
                                                         : "";
  rows.push_back({Health::kGood, "policy", text, ""});
}

void LookAtInside(const Patient& patient, DoctorRows& rows) {
  LookAtMods(patient, rows);
  const std::string from = CodeModeFrom(patient);
  if (from.empty()) return;
  rows.push_back({Health::kWeak, "code",
                  "Code Mode is on (" + from +
                      "): the model writes JavaScript that the client runs (REPL). The tools that "
                      "this code calls are decided one by one; the code itself is not checked",
                  "to refuse it: \"tools\": {\"deny\": [\"REPL\"]} in the policy"});
}

}  // namespace ringfence
