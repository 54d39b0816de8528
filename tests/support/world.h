// World: a project, a home, files and policies in memory, and one tool call at a time that is
// decided there. Calls go through the event reader, as the client's do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agents/claude/agent.h"
#include "policy/decision.h"
#include "policy/event.h"
#include "policy/load/layers.h"
#include "policy/load/sources.h"
#include "policy/places.h"
#include "tests/support/fake_files.h"

namespace ringfence {

class World {
 public:
  // /home/dev/project of user 1000, with the built-in policy.
  World();

  // Who is asking, and from where.
  std::string session = "11111111-2222-3333-4444-555555555555";
  std::optional<std::string> cwd = "/home/dev/project";
  std::string mode = "default";
  std::string agent_type;
  std::string profile;  // --profile
  bool permission_request = false;

  FakeFiles files;
  Places places{.agent = &ClaudeCode()};
  PolicySources sources;

  // The user's policy is {"version":1,MEMBERS}.
  void User(std::string_view members) { Add(Layer::kUser, members); }
  void Managed(std::string_view members) { Add(Layer::kManaged, members); }
  void Project(std::string_view members, bool trusted) { Add(Layer::kProject, members, trusted); }
  void Session(std::string_view members) { Add(Layer::kSession, members); }
  void Add(Layer layer, std::string_view members, bool trusted = true);
  void AddFile(Layer layer, std::string text, bool trusted = true);  // a whole policy

  // Where the project and the homes are; `real` where links lead.
  void MoveRoot(const std::string& given, const std::string& real);
  void MoveHome(const std::string& given, const std::string& real);
  void AddHome(const std::string& home);
  void NoHome();

  // `input` is the JSON of tool_input.
  Event EventOf(std::string_view tool, std::string_view input) const;
  Event EventOf(std::string_view json) const;  // a whole event
  Policy Merged(const Event& event) const;
  Decision Decide(std::string_view tool, std::string_view input) const;
  Decision Decide(const Event& event, const FileView& view) const;

  // "permit", "ask" or "deny".
  std::string Call(std::string_view tool, std::string_view input) const;
  std::string Read(std::string_view path) const;
  std::string Write(std::string_view path) const;
  std::string WhyNotRead(std::string_view path) const;   // the whole reason
  std::string WhyNotWrite(std::string_view path) const;  // the whole reason

 private:
  void FindPolicies();
};

// {"file_path":PATH}
std::string PathInput(std::string_view path);

}  // namespace ringfence
