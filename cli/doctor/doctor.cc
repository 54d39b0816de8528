// `ringfence doctor`: shows what is enforced on this host, what is not, and how to fix it.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/environment.h"
#include "base/text.h"
#include "cli/check/subjects.h"
#include "cli/command_line/options.h"
#include "cli/common/console.h"
#include "cli/common/policies.h"
#include "cli/common/registered.h"
#include "cli/doctor/rows.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

struct DoctorOptions {
  CheckQuestion check;
  std::string client;
};

std::string_view NameOf(Health health) {
  constexpr std::string_view kNames[] = {"ok", "weak", "missing"};  // by Health
  return kNames[static_cast<size_t>(health)];
}

Health HealthOf(Severity severity) {
  if (severity == Severity::kError) return Health::kMissing;
  return severity == Severity::kWarning ? Health::kWeak : Health::kGood;
}

// Adds a row for each finding of `ringfence check`.
Status LookAtFiles(const DoctorOptions& options, DoctorRows& rows) {
  const Result<Checked> checked = CheckEverything(options.check);
  if (!checked) return checked.error();
  for (const Finding& finding : checked->findings) {
    rows.push_back({HealthOf(finding.severity), "check", Printable(finding.error.text()),
                    Printable(finding.error.hint)});
  }
  return Unit{};
}

// Checks the policy that one registration, or the command line, puts in force.
void CheckRegisteredPolicy(const Registered& registered, Patient& patient, DoctorRows& rows) {
  const Registration& options = registered.options;
  const auto wrong = [&](const Error& error) {
    const std::string place = registered.place.empty() ? "" : registered.place + ": ";
    rows.push_back({Health::kMissing, "policy", place + error.text(), error.hint});
  };
  const RealFiles disk;
  const Result<Context> context = FindTypedContext(options, disk);
  if (!context) return wrong(context.error());
  const Result<Policy> policy = context->PolicyFor();
  if (!policy) return wrong(policy.error());
  patient.context = &*context;
  patient.policy = &*policy;
  patient.policy_option = options.policy.empty() ? "" : Absolute(options.policy);
  LookAtPolicies(patient, rows);
  LookAtSandbox(patient, rows);
  LookAtNetwork(patient, rows);
  LookAtReports(patient, rows);
}

Status Examine(const DoctorOptions& options, DoctorRows& rows) {
  const Registration& given = options.check.given;
  Patient patient{.client = options.client.empty() ? "" : Absolute(options.client), .given = given};
  if (Status s = FindProject(given.home, given.root).MoveTo(patient.where); !s) return s;
  if (Status s = FindHookProgram(options.check.hook).MoveTo(patient.hook); !s) return s;
  patient.ringfence = Path::Clean(patient.hook.path).Parent().Child("ringfence").text();
  if (Status s = LookAtFiles(options, rows); !s) return s;
  if (Status s = ReadSettingsFiles(patient.where).MoveTo(patient.settings); !s) return s;
  LookAtRegistration(patient, rows);
  LookAtPlugin(patient, rows);
  for (const Registered& registered :
       RegistrationsInForce(given, patient.settings, patient.hook.path)) {
    CheckRegisteredPolicy(registered, patient, rows);
  }
  LookAtClient(patient, rows);
  LookAtInside(patient, rows);
  LookAtState(patient, rows);
  return Unit{};
}

// Keeps one row for a problem that several of the checks above found.
void DropRepeated(DoctorRows& rows) {
  DoctorRows kept;
  for (DoctorRow& row : rows) {
    const bool is_known = std::ranges::any_of(kept, [&](const DoctorRow& other) {
      return other.health == Health::kMissing && other.text == row.text;
    });
    if (!is_known || row.health != Health::kMissing) kept.push_back(std::move(row));
  }
  rows = std::move(kept);
}

void Print(const DoctorRows& rows) {
  const Console console;
  constexpr size_t kWidth = 8;
  for (const DoctorRow& row : rows) {
    const std::string_view name = NameOf(row.health);
    const Tone tone = row.health == Health::kGood   ? Tone::kGood
                      : row.health == Health::kWeak ? Tone::kStrong
                                                    : Tone::kBad;
    console.Line(console.In(tone, name) + std::string(kWidth - name.size(), ' ') + row.about +
                 ": " + Printable(row.text));
    if (!row.fix.empty()) console.Line(std::string(kWidth, ' ') + "fix: " + Printable(row.fix));
  }
}

OrderedJson DoctorJson(const DoctorRows& rows, bool is_well) {
  const auto row_json = [](const DoctorRow& row) {
    OrderedJson json{{"health", NameOf(row.health)}, {"about", row.about}, {"text", row.text}};
    if (!row.fix.empty()) json["fix"] = row.fix;
    return json;
  };
  return {{"well", is_well}, {"rows", JsonArray(rows, row_json)}};
}

Outcome RunDoctor(const DoctorOptions& options) {
  DoctorRows rows;
  if (Status s = Examine(options, rows); !s) return s.error();
  DropRepeated(rows);
  const bool is_well = std::ranges::none_of(
      rows, [](const DoctorRow& row) { return row.health == Health::kMissing; });
  if (options.check.json) {
    PrintJson(DoctorJson(rows, is_well));
  } else {
    Print(rows);
  }
  return is_well ? 0 : 1;
}

}  // namespace

void AddDoctor(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "doctor", "Show what is enforced on this host, and what is not",
                 "  ringfence doctor\n"
                 "  ringfence doctor --profile worker --json\n"
                 "  ringfence doctor --client ~/.local/bin/claude\n"
                 "Exit status: 0 everything that the policy demands works, 1 something is "
                 "missing, 2 it could\nnot be checked.");
  const auto options = std::make_shared<DoctorOptions>();
  AddContextOptions(command, options->check.given, options->check.json);
  command.AddOption("--hook PATH", options->check.hook,
                    "The hook's program (default: next to this one)");
  command.AddOption("--client PATH", options->client,
                    "The client's program (default: claude in PATH)");
  command.OnGiven([options, &chosen] { chosen = [options] { return RunDoctor(*options); }; });
}

}  // namespace ringfence
