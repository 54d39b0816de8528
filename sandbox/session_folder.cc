#include "sandbox/session_folder.h"

#include "base/sha256.h"
#include "policy/load/trust.h"

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

namespace {

constexpr std::string_view kScratch = "/tmp/ringfence-";

}  // namespace

std::string ScratchFolder(uint64_t number) {
  return std::string(kScratch) + std::to_string(number);
}

bool IsScratch(const Path& path, const Path& tmp) {
  constexpr std::string_view kName = kScratch.substr(kScratch.rfind('/') + 1);
  const std::string_view name = path.name();
  if (path.Parent() != tmp || !name.starts_with(kName) || name.size() == kName.size()) return false;
  return name.find_first_not_of("0123456789", kName.size()) == std::string_view::npos;
}

}  // namespace ringfence
