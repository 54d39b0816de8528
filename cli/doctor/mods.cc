// Checks what runs inside the client: mods, and code that the model writes in Code Mode.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "agents/claude/settings/settings.h"
#include "base/text.h"
#include "cli/doctor/rows.h"

namespace ringfence {
namespace {

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
  std::vector<std::string> folders{where.home + "/.claude"};
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

void LookAtInside(const Patient& patient, DoctorRows& rows) {
  LookAtMods(patient, rows);
  const std::string from = CodeModeFrom(patient);
  if (from.empty()) return;
  rows.push_back({Health::kWeak, "code",
                  "Code Mode is on (" + from +
                      "): the model writes JavaScript that the client runs (REPL). The tools that "
                      "this code calls are decided one by one; the code itself is not looked into",
                  "to refuse it: \"tools\": {\"deny\": [\"REPL\"]} in the policy"});
}

}  // namespace ringfence
