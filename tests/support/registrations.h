// A registration on a small fake disk, and the places that are found for it.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/agent.h"
#include "policy/places.h"
#include "tests/support/fake_files.h"

namespace ringfence {

using Strings = std::vector<std::string>;

inline Registration PlainRegistration() {
  return {.agent = &ClaudeCode(),
          .root = "",
          .project_dir = "/home/dev/project",
          .home = "",
          .home_variable = "/home/dev",
          .config_dir = "",
          .policy = "",
          .profile = "",
          .program = "/opt/bin/ringfence-hook",
          .user = 1000};
}

inline std::vector<std::string> Texts(const std::vector<Path>& paths) {
  std::vector<std::string> texts;
  for (const Path& path : paths) texts.push_back(path.text());
  return texts;
}

inline const FakeFiles& SmallDisk() {
  static const FakeFiles files{
      {"/home/dev/project/file", File()},          {"/home/dev/entry", LinkTo("project")},
      {"/home/dev/loop", LinkTo("loop")},          {"/home/dev/up", LinkTo("/home")},
      {"/home/dev/locked", UnreadableDirectory()}, {"/data/dev", Directory()},
      {"/home/linked", LinkTo("/data/dev")},       {"/home/other", Directory()}};
  return files;
}

// The text of the error, or "".
inline std::string PlacesProblem(const Registration& registration) {
  const Result<Places> places = FindPlaces(registration, SmallDisk());
  return places ? "" : places.error().text();
}

}  // namespace ringfence
