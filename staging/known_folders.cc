#include "staging/known_folders.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/read_number.h"
#include "base/syscall.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "files/beneath.h"

namespace ringfence {
namespace {

// In the stage's directory: "INODE PATH" or "INODE:MODE:ATTRIBUTES PATH" for each directory or
// file, with a NUL after it.
constexpr const char* kFolders = "folders";
constexpr size_t kMaxKnown = size_t{256} << 20;

}  // namespace

Result<KnownFolders> KnownFolders::Of(const StageFolder& stage) {
  KnownFolders folders(stage);
  const Result<UniqueFd> file = OpenBeneath(stage.fd(), kFolders, O_RDONLY | O_NOFOLLOW);
  if (!file && file.error().code == ENOENT) return folders;
  if (!file) return file.error();
  const Result<std::string> text = ReadAll(file->get(), kMaxKnown, kFolders);
  if (!text) return text.error();
  folders.Parse(*text);
  return folders;
}

// A record that is incomplete, because the machine stopped, counts as not noted.
void KnownFolders::Parse(std::string_view text) {
  while (text.find('\0') != text.npos) {
    std::string_view path = TakeUntil(text, '\0');
    std::string_view mode = TakeUntil(path, ' ');
    Known known;
    if (!ReadNumber(TakeUntil(mode, ':'), known.inode)) continue;
    uint64_t bits = 0;
    if (ReadNumber(TakeUntil(mode, ':'), bits))
      known.facts = Facts{static_cast<uint32_t>(bits), std::string(mode)};
    known_.emplace(path, known);
  }
}

std::optional<uint64_t> KnownFolders::InodeOf(std::string_view path) const {
  const auto found = known_.find(path);
  return found == known_.end() ? std::nullopt : std::optional(found->second.inode);
}

std::optional<uint32_t> KnownFolders::ModeOf(std::string_view path) const {
  const auto found = known_.find(path);
  if (found == known_.end() || !found->second.facts) return {};
  return found->second.facts->mode;
}

std::optional<std::string> KnownFolders::AttributesOf(std::string_view path) const {
  const auto found = known_.find(path);
  if (found == known_.end() || !found->second.facts) return {};
  return found->second.facts->attributes;
}

void KnownFolders::Note(std::string_view path, uint64_t inode, const std::optional<Facts>& facts) {
  if (!known_.emplace(path, Known{inode, facts}).second) return;
  unsaved_ += std::to_string(inode);
  if (facts) unsaved_ += ":" + std::to_string(facts->mode) + ":" + facts->attributes;
  unsaved_ += " ";
  unsaved_ += path;
  unsaved_ += '\0';
}

Status KnownFolders::Save() {
  if (unsaved_.empty()) return Unit{};
  const UniqueFd file(::openat(stage_->fd().get(), kFolders,
                               O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return SystemError("open(" + std::string(kFolders) + ")");
  const std::string records = std::exchange(unsaved_, "");
  return WriteAll(file.get(), records);
}

}  // namespace ringfence
