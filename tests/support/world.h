// World: a project, a home, files and policies in memory, and the decision about one tool call at a
// time. Calls go through the event reader, like those of the client.
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

  // The caller and its working directory.
  std::string session = "11111111-2222-3333-4444-555555555555";
  std::optional<std::string> cwd = "/home/dev/project";
  std::string mode = "default";
  std::string agent_type;
  std::string profile;  // --profile
  bool permission_request = false;

  FakeFiles files;
  Places places{.agent = &ClaudeCode()};
  PolicySources sources;

  // Sets the user's policy to {"version":1,MEMBERS}.
  void User(std::string_view members) { Add(Layer::kUser, members); }
  void Managed(std::string_view members) { Add(Layer::kManaged, members); }
  void Project(std::string_view members, bool trusted) { Add(Layer::kProject, members, trusted); }
  void Session(std::string_view members) { Add(Layer::kSession, members); }
  void Add(Layer layer, std::string_view members, bool trusted = true);
  void AddFile(Layer layer, std::string text, bool trusted = true);  // a complete policy

  // Move the project or the home; `real` is where links lead.
  void MoveRoot(const std::string& given, const std::string& real);
  void MoveHome(const std::string& given, const std::string& real);
  void AddHome(const std::string& home);
  void NoHome();

  // `input` is the JSON of tool_input.
  Event EventOf(std::string_view tool, std::string_view input) const;
  Event EventOf(std::string_view json) const;  // a complete event
  Policy Merged(const Event& event) const;
  Decision Decide(std::string_view tool, std::string_view input) const;
  Decision Decide(const Event& event, const FileView& view) const;

  // Each of these returns "permit", "ask" or "deny".
  std::string Call(std::string_view tool, std::string_view input) const;
  std::string Read(std::string_view path) const;
  std::string Write(std::string_view path) const;
  std::string WhyNotRead(std::string_view path) const;   // the complete reason
  std::string WhyNotWrite(std::string_view path) const;  // the complete reason

 private:
  void FindPolicies();
};

// Returns {"file_path":PATH}.
std::string PathInput(std::string_view path);

}  // namespace ringfence
