// The launcher's connection to ringfence-proxy, one process for each user, which is started when it
// is needed and ends a few seconds after the last sandbox.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// Names in the proxy's directory, which only the user may enter and every sandbox hides.
inline constexpr std::string_view kControlLock = "lock";  // held to start and to end a proxy
inline constexpr std::string_view kControlPrefix = "control-";
// The control socket for this process. Containers can share a home directory, and each needs a
// proxy of its own: the name has the process's user, network and mount namespace.
std::string ControlSocketName();

// The descriptors of a new proxy: the listening control socket, and the directory.
constexpr int kListeningFd = 3;
constexpr int kFolderFd = 4;

struct ControlConnection {
  UniqueFd socket;
  bool is_new = false;  // this call has started the proxy, so it knows no session yet
};

// Connects to the proxy of `folder`, or starts `program`. Does not wait until a new proxy runs: its
// socket exists, and keeps what is sent. Creates the directory if it is missing.
Result<ControlConnection> ConnectToProxy(const Path& folder, const std::string& program);

// Connects only if the proxy runs; otherwise ENOENT or ECONNREFUSED.
Result<UniqueFd> ConnectToRunningProxy(const Path& folder);

// Does what a run does before it starts the proxy, but changes nothing: fails if a run could not
// connect to the proxy or start one. A missing directory is none of these reasons.
Status CheckProxyAccess(const Path& folder);

// A socket address for `name` in the directory. Works whatever the length of its path.
std::string SocketPathIn(const UniqueFd& folder, std::string_view name);

// Opens the directory; fails unless only this user may enter it.
Result<UniqueFd> OpenProxyFolder(const Path& folder);

// A session as it is sent to the proxy (LauncherMessage::kJoin, kCreate).
struct SessionRequest {
  std::string key;                 // of the network: a sandbox with another key cannot use it
  std::string name;                // shown to users: the client's session, or ""
  bool is_shared = false;          // by several sandboxes at the same time, not one after the other
  std::vector<std::string> words;  // registration and caller, as `ringfence enter` takes them
  bool is_agent = false;           // the sandbox of the agent itself, not of its commands
  bool is_trial = false;           // leaves no log
  std::string credential;          // that programs must send to the explicit proxy; "" for none

  std::vector<std::string_view> Fields() const;
  static Result<SessionRequest> Of(std::vector<std::string> fields);
};

}  // namespace ringfence
