// A home and a project on the disk, for code that reads the client's settings.
#pragma once

#include <filesystem>

#include "agents/claude/agent.h"
#include "policy/places.h"
#include "tests/support/temporary_tree.h"

namespace ringfence {

class SettingsTree : public TemporaryTree {
 public:
  SettingsTree() {
    Directory("home");
    Directory("project");
  }
  Places FoundPlaces() const {
    Places places{.agent = &ClaudeCode()};
    places.root = places.root_real = Path::Clean(At("project"));
    places.homes = places.homes_real = {Path::Clean(At("home"))};
    return places;
  }
};

inline bool NoManagedSettings() {
  return !std::filesystem::exists("/etc/claude-code/managed-settings.json");
}

}  // namespace ringfence
