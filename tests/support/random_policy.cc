#include "tests/support/random_policy.h"

namespace ringfence {
namespace {

using nlohmann::json;

constexpr const char* kNames[] = {"a", "b", "c", "A", "x", "a*", "?", ".env"};
constexpr const char* kPlainNames[] = {"a", "b", "c", "A", "x", "B", ".env", ".."};
constexpr const char* kTools[] = {"Read", "Write",    "Edit",      "Bash",
                                  "Glob", "WebFetch", "mcp__s__t", "mcp__s__u"};
constexpr const char* kToolEntries[] = {"Read",      "Write",          "Edit", "Bash",     "Glob",
                                        "WebFetch",  "mcp__s__t",      "*",    "mcp__*",   "W*",
                                        "mcp__s__*", "@session-tools", "read", "Notebook*"};
constexpr const char* kHosts[] = {"one.example", "a.one.example",  "two.example", "10.0.0.1",
                                  "[fd00::1]",   "host.ringfence", "x.ringfence"};
// A project's policy may have all of them.
constexpr const char* kHostEntries[] = {
    "one.example", "*.one.example",    "two.example",      "one.example:443",
    "*",           "*.example",        "*:8080",           "two.example:22",
    "10.0.0.1",    "[fd00:0::1]:8080", "*.one.example:80",
};
constexpr const char* kRanges[] = {"10.0.0.0/8", "192.168.7.0/24", "fd00::/8"};
constexpr uint16_t kPorts[] = {22, 80, 443, 8080};
constexpr const char* kModes[] = {"default", "plan", "bypassPermissions"};
constexpr const char* kAgents[] = {"Explore", "Plan", "worker"};
constexpr const char* kAgentPatterns[] = {"Explore", "*", "P*", "worker"};

}  // namespace

std::string RandomPolicies::PathEntry(bool may_float) {
  static constexpr const char* kBases[] = {"", "", "/srv/", "~/", "/home/dev/project/"};
  if (OneIn(10)) return ".";
  if (may_float && OneIn(5)) return "**/" + One(kNames);
  std::string entry = One(kBases) + One(kNames);
  if (OneIn(3)) entry += "/" + One(kNames);
  return entry;
}

std::string RandomPolicies::PathText() {
  static constexpr const char* kBases[] = {"",          "", "/srv/", "~/", "/home/dev/project/",
                                           "/home/dev/"};
  std::string text = One(kBases) + One(kPlainNames);
  for (unsigned n = Below(3); n > 0; --n) text += "/" + One(kPlainNames);
  return text;
}

std::string RandomPolicies::ToolEntry() { return One(kToolEntries); }
std::string RandomPolicies::HostEntry() { return One(kHostEntries); }
std::string RandomPolicies::Host() { return One(kHosts); }
uint16_t RandomPolicies::Port() { return kPorts[Below(std::size(kPorts))]; }
std::string RandomPolicies::AgentType() { return One(kAgents); }

json RandomPolicies::List(std::string (RandomPolicies::*make)(), unsigned least) {
  json list = json::array();
  for (unsigned n = least + Below(3); n > 0; --n) list.push_back((this->*make)());
  return list;
}

json RandomPolicies::PathLists() {
  json lists = json::object();
  if (!OneIn(3)) lists["allow"] = List(&RandomPolicies::AllowedPath, 1);
  if (OneIn(2)) lists["ask"] = List(&RandomPolicies::AskedPath, 0);
  if (OneIn(2)) lists["deny"] = List(&RandomPolicies::DeniedPath, 0);
  return lists;
}

json RandomPolicies::ToolLists() {
  json lists = json::object();
  if (OneIn(2)) lists["allow"] = List(&RandomPolicies::ToolEntry, 1);
  if (OneIn(3)) lists["ask"] = List(&RandomPolicies::ToolEntry, 0);
  if (OneIn(3)) lists["deny"] = List(&RandomPolicies::ToolEntry, 0);
  return lists;
}

json RandomPolicies::Network() {
  static constexpr const char* kUnlisted[] = {"deny", "ask", "allow"};
  json network = json::object();
  if (OneIn(2)) network["allow"] = List(&RandomPolicies::HostEntry, 1);
  if (OneIn(2)) network["deny"] = List(&RandomPolicies::HostEntry, 0);
  if (OneIn(2)) network["unlisted"] = One(kUnlisted);
  if (OneIn(4)) network["private"] = {{OneIn(2) ? "one.example" : "*.example", {One(kRanges)}}};
  return network;
}

// The section has an inbox, which is mandatory at the top level.
json RandomPolicies::Alerts() {
  static constexpr const char* kInboxes[] = {"/srv/in", "~/in", "/srv/other"};
  json alerts = {{"inbox", One(kInboxes)}};
  if (OneIn(3)) alerts["enabled"] = OneIn(2);
  if (OneIn(2)) alerts["fields"] = {{One(kNames), One(kInboxes)}};
  return alerts;
}

json RandomPolicies::Sections() {
  static constexpr const char* kPermitted[] = {"client", "allow"};
  static constexpr const char* kUnsandboxed[] = {"deny", "ask"};
  json sections = json::object();
  if (OneIn(2)) sections["tools"] = ToolLists();
  if (!OneIn(3)) sections["read"] = PathLists();
  if (!OneIn(3)) sections["write"] = PathLists();
  if (OneIn(3)) sections["network"] = Network();
  if (OneIn(3)) sections["permitted"] = One(kPermitted);
  if (OneIn(3)) sections["bash"] = {{"unsandboxed", One(kUnsandboxed)}};
  if (OneIn(3)) sections["alerts"] = Alerts();
  if (OneIn(4)) {
    json entry = json::object();
    if (OneIn(2)) entry["read"] = {"/path"};
    if (OneIn(2)) entry["write"] = {"/odd"};
    sections["mcp"] = {{OneIn(2) ? "mcp__s__t" : "mcp__s__*", entry}};
  }
  return sections;
}

json RandomPolicies::When() {
  static constexpr const char* kRoots[] = {"~", "/home/dev/project", "/srv", "~/*"};
  json when = json::object();
  if (OneIn(3)) when["subagent"] = !OneIn(4);
  if (OneIn(4)) when["agent_type"] = One(kAgentPatterns);
  if (OneIn(4)) when["permission_mode"] = One(kModes);
  if (OneIn(3) || when.empty()) when["root"] = One(kRoots);
  return when;
}

json RandomPolicies::Policy() {
  json policy = Sections();
  for (unsigned n = Below(4); n > 0; --n) {
    json profile = Sections();
    if (!OneIn(4)) profile["when"] = When();
    policy["profiles"]["p" + std::to_string(n)] = profile;
  }
  return policy;
}

RandomCall RandomPolicies::Call() {
  RandomCall call;
  call.tool = One(kTools);
  call.mode = One(kModes);
  if (OneIn(2)) call.agent_type = AgentType();
  if (call.tool == "Bash") {
    call.input = {{"command", "x"}};
  } else if (call.tool == "WebFetch") {
    call.input = {{"url", "https://" + Host() + ":" + std::to_string(Port()) + "/"},
                  {"prompt", "x"}};
  } else if (call.tool == "Glob") {
    call.input = {{"pattern", OneIn(2) ? "*" : PathText() + "/*"}};
    if (OneIn(2)) call.input["path"] = PathText();
  } else if (call.tool.starts_with("mcp__")) {
    call.input = {{OneIn(3) ? "odd" : "path", PathText()}};
  } else {
    call.input = {{"file_path", PathText()}};
  }
  if (OneIn(10)) call.input["dangerouslyDisableSandbox"] = true;
  return call;
}

void RandomPolicies::AddDeny(json& policy) {
  unsigned which = Below(4);
  // Adding a "network" section has a further effect: unlisted hosts are no longer permitted.
  if (which == 1 && !policy.contains("network")) which = 0;
  json& section = policy[which == 0   ? "tools"
                         : which == 1 ? "network"
                         : which == 2 ? "read"
                                      : "write"];
  if (section.is_null()) section = json::object();
  json& list = section["deny"];
  if (list.is_null()) list = which < 2 ? json::array() : json{"@secrets"};
  list.push_back(which == 0 ? ToolEntry() : which == 1 ? HostEntry() : DeniedPath());
}

bool RandomPolicies::AddAllow(json& policy) {
  static constexpr const char* kSections[] = {"tools", "network", "read", "write"};
  const unsigned which = Below(4);
  if (!policy.contains(kSections[which])) return false;
  json& section = policy[kSections[which]];
  if (!section.contains("allow")) return false;
  section["allow"].push_back(which == 0 ? ToolEntry() : which == 1 ? HostEntry() : AllowedPath());
  return true;
}

}  // namespace ringfence
