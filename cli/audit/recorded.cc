#include "cli/audit/recorded.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "agents/claude/agent.h"
#include "agents/claude/setup/call_event.h"
#include "base/add_once.h"
#include "base/text.h"

namespace ringfence {
namespace {

// True if a rule in this section ("read", "write") decided.
bool IsOf(const AuditEntry& call, std::string_view section) {
  const std::string_view rule = call.rule ? std::string_view(call.rule->pointer) : "";
  return rule.substr(0, rule.rfind('/')).ends_with("/" + std::string(section));
}

// True if a path in the log can come from an argument with this role.
bool MayBePath(FieldRole role, const AuditEntry& call) {
  switch (role) {
    case FieldRole::kRead:
    case FieldRole::kSearchFolder:
      return !IsOf(call, "write");
    case FieldRole::kWrite:
      return !IsOf(call, "read");
    case FieldRole::kReadWrite:
      return true;
    case FieldRole::kSearchPattern:
    case FieldRole::kSearchFilter:
    case FieldRole::kUrl:
    case FieldRole::kHosts:
    case FieldRole::kOtherHost:
    case FieldRole::kAttachment:  // an element of a list
    case FieldRole::kNoPath:
    case FieldRole::kResourceUri:
    case FieldRole::kWorktreeName:  // one component; the resolved path goes into "path"
    case FieldRole::kMcpServer:
    case FieldRole::kIsolation:
      return false;
  }
  return false;
}

// True for an argument that is not a path and that the log does not keep.
bool IsLost(const ToolField& field) {
  return field.role == FieldRole::kUrl || field.role == FieldRole::kResourceUri ||
         field.role == FieldRole::kMcpServer;
}

bool HasRole(const KnownTool& tool, FieldRole role) {
  return std::ranges::find(tool.fields, role, &ToolField::role) != tool.fields.end();
}

bool TakesPattern(const KnownTool& tool) {
  return HasRole(tool, FieldRole::kSearchPattern) || HasRole(tool, FieldRole::kSearchFilter);
}

// Adds the arguments of a call with paths. Returns false if it had others that the log did not
// keep.
bool PutPaths(const AuditEntry& call, OrderedJson& input) {
  const std::string& first = call.paths.front();
  const auto known = ClaudeCode().tools.Find(call.tool);
  if (!known) {
    input["path"] = first;
    for (size_t i = 1; i < call.paths.size(); ++i) input["paths"].push_back(call.paths[i]);
    return true;
  }
  if (TakesPattern(*known) && call.verdict != LoggedVerdict::kPermit && !call.rule) return false;
  const auto field = std::ranges::find_if(
      known->fields, [&](const ToolField& f) { return MayBePath(f.role, call); });
  const auto list = std::ranges::find(known->fields, FieldRole::kAttachment, &ToolField::role);
  const bool is_list = field == known->fields.end() && list != known->fields.end();
  if (call.paths.size() > 1 && !is_list) return false;  // any of them may have decided
  if (is_list) {
    input[std::string(list->pointer.substr(1))] = call.paths;
  } else if (field != known->fields.end()) {
    input[std::string(field->pointer.substr(1))] = first;
  } else if (HasRole(*known, FieldRole::kIsolation)) {
    input["isolation"] = "worktree";
  } else {
    input["path"] = first;  // an argument that the tool does not have
  }
  for (const ToolField& other : known->fields) {
    if (other.required && IsLost(other)) return false;
    if (other.role == FieldRole::kSearchPattern) input[std::string(other.pointer.substr(1))] = "*";
  }
  return true;
}

// True if a call without paths was decided by more than the name of its tool.
bool HidesArguments(const AuditEntry& call) {
  const auto known = ClaudeCode().tools.Find(call.tool);
  const bool is_refused = call.verdict != LoggedVerdict::kPermit;
  if (known && is_refused && !call.rule) return true;
  const auto is_seldom = [](const ToolField& field) {
    return field.role == FieldRole::kHosts || field.role == FieldRole::kOtherHost;
  };
  if (!known || std::ranges::all_of(known->fields, is_seldom)) return false;
  if (std::ranges::any_of(known->fields, &ToolField::required)) return true;
  return is_refused && !IsOf(call, "bash") && std::ranges::any_of(known->fields, IsLost);
}

// Returns the arguments that decided the call, or nullopt if the log did not keep them.
std::optional<OrderedJson> InputOf(const AuditEntry& call) {
  if (IsOf(call, "network")) return {};
  OrderedJson input = OrderedJson::object();
  if (call.rule && call.rule->pointer.ends_with("/bash/unsandboxed"))
    input["dangerouslyDisableSandbox"] = true;
  if (ClaudeCode().tools.RunsCommand(call.tool)) input["command"] = "true";
  const bool is_kept = call.paths.empty() ? !HidesArguments(call) : PutPaths(call, input);
  if (!is_kept) return {};
  return input;
}

}  // namespace

std::optional<Fixture> FixtureOfEntry(AuditEntry entry) {
  const bool is_decision = entry.verdict && *entry.verdict <= LoggedVerdict::kDeny;
  if (!IsCallEvent(entry.event) || entry.tool.empty() || !is_decision) return {};
  // The two readings of a path usually resolve to the same path.
  std::vector<std::string> paths;
  for (const std::string& path : entry.paths) AddOnce(paths, path);
  entry.paths = std::move(paths);
  std::optional<OrderedJson> input = InputOf(entry);
  if (!input) return {};
  Fixture fixture{.event = EventText({.event = entry.event,
                                      .session = entry.session,
                                      .agent_id = entry.agent_id,
                                      .agent_type = entry.agent_type,
                                      .tool = entry.tool,
                                      .input = std::move(*input)}),
                  .time = entry.time};
  fixture.expected.decision = entry.verdict;
  if (entry.rule) fixture.expected.rule = entry.rule->pointer;
  // For a subagent, the log does not say which of the profiles the event chose.
  const bool is_subagent = !entry.agent_id.empty() || !entry.agent_type.empty();
  if (!is_subagent && !entry.profile.empty()) fixture.profile = entry.profile;
  return fixture;
}

bool MayBeOfPattern(const Fixture& fixture, const Path& project) {
  if (fixture.expected.decision == LoggedVerdict::kPermit) return false;
  const CallEvent call = ReadCallEvent(fixture.event);
  const auto tool = ClaudeCode().tools.Find(call.tool);
  if (!tool || !TakesPattern(*tool)) return false;
  const std::optional<Path> folder = Path::Parse(call.input.value("path", ""));
  return folder && folder->IsInside(project);
}

FixtureFile ReadLog(std::string_view text, const std::string& path) {
  FixtureFile file;
  for (const NumberedLine& line : LinesOf(text)) {
    const std::string name = path + ":" + std::to_string(line.number);
    std::optional<AuditEntry> entry = ReadAuditEntry(line.text);
    if (!entry || !entry->verdict) {
      file.foreign.push_back({path, line.number});
      file.skipped.push_back(name + ": not a line of the audit log");
    } else if (std::optional<Fixture> fixture = FixtureOfEntry(std::move(*entry))) {
      fixture->name = name;
      fixture->place = {path, line.number};
      file.fixtures.push_back(std::move(*fixture));
    } else {
      file.skipped.push_back(name + ": the log does not have the call's arguments");
    }
  }
  return file;
}

std::string FixtureLine(const Fixture& fixture) {
  OrderedJson json{{"name", fixture.name}};
  if (!fixture.time.empty()) json["time"] = fixture.time;
  if (fixture.profile) json["profile"] = *fixture.profile;
  json["event"] = OrderedJson::parse(fixture.event, nullptr, false);
  OrderedJson& expect = json["expect"];
  if (fixture.expected.decision) expect["decision"] = VerdictName(*fixture.expected.decision);
  if (!fixture.expected.rule.empty()) expect["rule"] = fixture.expected.rule;
  return JsonText(json) + "\n";
}

}  // namespace ringfence
