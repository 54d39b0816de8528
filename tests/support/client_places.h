// The files that Claude Code shows the model, in projects in all usual locations.
#pragma once

#include <string>
#include <vector>

namespace ringfence {

constexpr const char* kClientSession = "11111111-2222-3333-4444-555555555555";

// A project in a usual location, and the client's directories for it.
struct ClientPlace {
  std::string start;     // where the client starts
  std::string root;      // differs from `start` with "root": "git"
  std::string memory;    // the directory that keys the memory
  std::string git;       // a directory in a repository, or ""
  std::string worktree;  // a worktree of it, or ""
};

std::vector<ClientPlace> EveryClientPlace();

struct ClientFiles {
  std::vector<std::string> read;
  std::vector<std::string> written;
  std::vector<std::string> others;  // of other projects and sessions, and secrets
};

// The paths that the client shows the model, by their names on the disk.
ClientFiles ClientFilesOf(const ClientPlace& place);

}  // namespace ringfence
