#include "tests/support/world.h"

#include <algorithm>
#include <stdexcept>

#include "agents/claude/agent.h"
#include "agents/claude/event_reader.h"
#include "base/text.h"
#include "policy/decide.h"
#include "policy/load/load.h"

namespace ringfence {
namespace {

constexpr const char* kHome = "/home/dev";
constexpr const char* kRoot = "/home/dev/project";

std::unique_ptr<PolicyFile> MustLoad(std::string text, std::string path, std::string shown,
                                     bool trusted, bool of_project) {
  std::vector<Error> mistakes;
  auto file = LoadPolicy(
      {std::move(text), std::move(path), std::move(shown), trusted, &ClaudeCode(), of_project},
      mistakes);
  if (file == nullptr) throw std::runtime_error("policy: " + mistakes.front().text());
  return file;
}

std::string ShownName(Layer layer) {
  switch (layer) {
    case Layer::kManaged:
      return "managed.json";
    case Layer::kUser:
      return "policy.json";
    case Layer::kCommandLine:
      return "option.json";
    case Layer::kProject:
      return "project.json";
    case Layer::kSession:
      return "session.json";
  }
  return "";
}

}  // namespace

World::World()
    : files{{std::string(kRoot) + "/README.md", File()},
            {std::string(kRoot) + "/src/main.cc", File()},
            {"/etc/passwd", File()},
            {"/tmp", Directory()}} {
  places.user = 1000;
  places.macos_names = false;
  places.programs = {Path::Clean("/opt/ringfence/bin/ringfence-hook"),
                     Path::Clean("/opt/ringfence/bin/ringfence"),
                     Path::Clean("/opt/ringfence/bin/ringfence-cli"),
                     Path::Clean("/opt/ringfence/bin/ringfence-proxy"),
                     Path::Clean("/opt/ringfence/bin/ringfence-stage")};
  sources.built_in =
      MustLoad(BuiltInPolicy(ClaudeCode()).text, "", std::string(kBuiltInPolicy), true, false);
  MoveHome(kHome, kHome);
  MoveRoot(kRoot, kRoot);
}

void World::Add(Layer layer, std::string_view members, bool trusted) {
  std::string text = R"({"version":1)";
  if (!members.empty()) text += "," + std::string(members);
  AddFile(layer, text + "}", trusted);
}

void World::AddFile(Layer layer, std::string text, bool trusted) {
  const std::string name = ShownName(layer);
  auto file =
      MustLoad(std::move(text), "/policies/" + name, name, trusted, layer == Layer::kProject);
  PolicySource source{layer, trusted, std::move(file)};
  const auto later = std::ranges::find_if(
      sources.sources, [layer](const PolicySource& other) { return other.layer > layer; });
  sources.sources.insert(later, std::move(source));
}

void World::MoveRoot(const std::string& given, const std::string& real) {
  places.root = Path::Clean(given);
  places.root_real = Path::Clean(real);
  FindPolicies();
}

void World::MoveHome(const std::string& given, const std::string& real) {
  places.homes = {Path::Clean(given)};
  if (real != given) places.homes.push_back(Path::Clean(real));
  places.homes_real = {Path::Clean(real)};
  FindPolicies();
}

void World::AddHome(const std::string& home) {
  places.homes.push_back(Path::Clean(home));
  places.homes_real.push_back(Path::Clean(home));
  FindPolicies();
}

void World::NoHome() {
  places.homes.clear();
  places.homes_real.clear();
  FindPolicies();
}

// Records the places as ReadPolicySources() does.
void World::FindPolicies() {
  places.policies = UsualPolicyPlaces(places);
  places.audit_file.reset();
  if (places.homes.empty()) return;
  places.audit_file = OwnPath(AuditRules{}.file, places);
}

Event World::EventOf(std::string_view tool, std::string_view input) const {
  std::string json = R"({"hook_event_name":)";
  json += permission_request ? R"("PermissionRequest")" : R"("PreToolUse")";
  json += ",\"session_id\":" + JsonString(session) + ",\"permission_mode\":" + JsonString(mode);
  if (cwd) json += ",\"cwd\":" + JsonString(*cwd);
  if (!agent_type.empty()) json += R"(,"agent_id":"a1","agent_type":)" + JsonString(agent_type);
  json += ",\"tool_name\":" + JsonString(tool) + ",\"tool_input\":" + std::string(input) + "}";
  return EventOf(json);
}

Event World::EventOf(std::string_view json) const {
  EventFilter filter;
  for (const PolicySource& source : sources.sources) AddNeeds(*source.file, filter);
  TextSource text(json);
  Result<Event> event = ReadEvent(text, filter);
  if (!event) throw std::runtime_error(event.error().text() + " in " + std::string(json));
  return std::move(*event);
}

Policy World::Merged(const Event& event) const {
  Result<Policy> policy = MergePolicies(sources, profile, places, CallerOf(event));
  if (!policy) throw std::runtime_error(policy.error().text());
  return std::move(*policy);
}

Decision World::Decide(const Event& event, const FileView& view) const {
  const Policy policy = Merged(event);
  Decision decision = ringfence::Decide(event, {policy, places, CachedFiles(view)});
  if (decision.failure) throw std::runtime_error(decision.failure->text());
  return decision;
}

Decision World::Decide(std::string_view tool, std::string_view input) const {
  return Decide(EventOf(tool, input), files);
}

std::string World::Call(std::string_view tool, std::string_view input) const {
  return std::string(VerdictName(Decide(tool, input).verdict));
}

std::string World::Read(std::string_view path) const { return Call("Read", PathInput(path)); }
std::string World::Write(std::string_view path) const { return Call("Write", PathInput(path)); }

std::string World::WhyNotRead(std::string_view path) const {
  return ReasonText(Decide("Read", PathInput(path)), "");
}
std::string World::WhyNotWrite(std::string_view path) const {
  return ReasonText(Decide("Write", PathInput(path)), "");
}

std::string PathInput(std::string_view path) { return "{\"file_path\":" + JsonString(path) + "}"; }

}  // namespace ringfence
