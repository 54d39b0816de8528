// Random policies, as JSON, and random calls, over few names, so that they often match.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace ringfence {

struct RandomCall {
  std::string tool;
  nlohmann::json input;
  std::string mode, agent_type;

  std::string text() const { return mode + " [" + agent_type + "] " + tool + " " + input.dump(); }
};

class RandomPolicies {
 public:
  explicit RandomPolicies(uint32_t seed) : random_(seed) {}

  bool OneIn(unsigned n) { return Below(n) == 0; }
  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  nlohmann::json Policy();    // without "version"
  nlohmann::json Sections();  // of a policy or a profile
  nlohmann::json Network();
  RandomCall Call();
  std::string Host();  // in its canonical form
  uint16_t Port();
  std::string AgentType();

  // Adds an entry to a deny list. A list that it creates keeps the default that it replaces.
  void AddDeny(nlohmann::json& policy);
  // Adds an entry to an existing allow list; returns false if there is none.
  bool AddAllow(nlohmann::json& policy);

 private:
  std::string PathEntry(bool may_float);
  std::string PathText();
  std::string ToolEntry();
  std::string HostEntry();
  nlohmann::json List(std::string (RandomPolicies::*make)(), unsigned least);
  nlohmann::json PathLists();
  nlohmann::json ToolLists();
  nlohmann::json Alerts();
  nlohmann::json When();
  std::string AllowedPath() { return PathEntry(false); }
  std::string AskedPath() { return OneIn(6) ? "@runs-later" : PathEntry(true); }
  std::string DeniedPath() { return OneIn(6) ? "@secrets" : PathEntry(true); }
  template <size_t N>
  std::string One(const char* const (&words)[N]) {
    return words[Below(N)];
  }

  std::mt19937 random_;
};

}  // namespace ringfence
