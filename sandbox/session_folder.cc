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

namespace {

constexpr std::string_view kScratch = "/tmp/ringfence-";

}  // namespace

std::string ScratchFolder(uint64_t number) {
  return std::string(kScratch) + std::to_string(number);
}

bool IsScratch(const Path& path) {
  const std::string_view text = path.text();
  if (!text.starts_with(kScratch) || text.size() == kScratch.size()) return false;
  return text.find_first_not_of("0123456789", kScratch.size()) == std::string_view::npos;
}

}  // namespace ringfence
