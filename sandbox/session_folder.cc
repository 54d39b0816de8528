#include "sandbox/session_folder.h"

#include "base/sha256.h"
#include "policy/trust.h"

namespace ringfence {

Path SessionFolders(const Places& places) {
  if (places.homes_real.empty()) return {};
  return Path::Clean(StateFolder(places.homes_real.front().text()) + "/tmp");
}

Path SessionFolder(const Places& places, std::string_view session) {
  const Path folders = SessionFolders(places);
  if (session.empty() || folders.is_root()) return {};
  return folders.Child(Sha256Hex(session));
}

}  // namespace ringfence
