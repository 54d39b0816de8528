#include "cli/common/change_journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/sha256.h"
#include "base/state_file.h"
#include "base/syscall.h"
#include "policy/load/trust.h"

namespace ringfence {
namespace {

constexpr std::string_view kHeader = "ringfence journal 1\n";
constexpr size_t kDigest = 64;  // length of the hex SHA-256 of everything after it
constexpr const char* kNew = "journal.new";
constexpr const char* kLock = "journal.lock";
constexpr int kTries = 10'000;  // a millisecond apart

std::string JournalPath(const std::string& home) { return StateFolder(home) + "/journal"; }

// CBOR, because names and contents can contain any byte.
nlohmann::json CborOf(const FileChange& change) {
  using Json = nlohmann::json;
  const FileOwnership& ownership = change.ownership;
  return {{"path", change.path},
          {"is_folder", change.is_folder},
          {"before", change.before ? Json(*change.before) : Json()},
          {"ownership", {ownership.mode, ownership.owner, ownership.group}},
          {"temporary", change.temporary},
          {"folders", change.folders},
          {"ours", change.ours}};
}

// Throws if a value is missing or has another type.
FileChange ChangeOf(const nlohmann::json& json) {
  FileChange change;
  json.at("path").get_to(change.path);
  json.at("is_folder").get_to(change.is_folder);
  if (!json.at("before").is_null()) change.before = json.at("before").get<std::string>();
  const nlohmann::json& ownership = json.at("ownership");
  ownership.at(0).get_to(change.ownership.mode);
  ownership.at(1).get_to(change.ownership.owner);
  ownership.at(2).get_to(change.ownership.group);
  json.at("temporary").get_to(change.temporary);
  json.at("folders").get_to(change.folders);
  json.at("ours").get_to(change.ours);
  return change;
}

bool IsSane(const FileChange& change) {
  return Path::Parse(change.path).has_value() && change.temporary.starts_with(kTemporaryPrefix) &&
         change.temporary.find('/') == std::string::npos;
}

Error Unusable(const std::string& name, std::string what) {
  return ConfigError(name,
                     "is the journal of a command that was interrupted, and " + std::move(what),
                     "look at the files that ringfence last changed, and remove the journal");
}

// True if the locked file still has its name. It keeps the name while it is locked, because only
// the holder of the lock removes it.
bool IsStillNamed(int lock, int folder) {
  struct stat own {};
  struct stat named {};
  return ::fstat(lock, &own) == 0 && ::fstatat(folder, kLock, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

Result<UniqueFd> TakeLock(const FilePlace& place) {
  const std::string name = place.path().Parent().Child(kLock).text();
  for (int tries = kTries; tries > 0;) {
    UniqueFd lock(::openat(place.folder(), kLock,
                           O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600));
    if (!lock.valid()) return SystemError("open(" + name + ")");
    const Result<bool> is_locked = LockFile(lock.get(), tries);
    if (!is_locked) return is_locked.error();
    if (!*is_locked) break;
    if (IsStillNamed(lock.get(), place.folder())) return lock;
    --tries;  // the previous holder removed it
  }
  return Error{Error::Kind::kSystem, name, "is held by another ringfence command",
               "wait until that command has ended, and run this one again; nothing was changed"};
}

}  // namespace

std::string RenderJournal(const std::vector<FileChange>& changes) {
  nlohmann::json list = nlohmann::json::array();
  for (const FileChange& change : changes) list.push_back(CborOf(change));
  std::string bytes;
  nlohmann::json::to_cbor(list, bytes);
  return std::string(kHeader) + Sha256Hex(bytes) + bytes;
}

Result<std::vector<FileChange>> ParseJournal(std::string_view text, const std::string& name) {
  const Error damaged = Unusable(name, "it is damaged or of another version");
  if (!text.starts_with(kHeader) || text.size() < kHeader.size() + kDigest) return damaged;
  const std::string_view digest = text.substr(kHeader.size(), kDigest);
  text.remove_prefix(kHeader.size() + kDigest);
  if (Sha256Hex(text) != digest) return damaged;
  try {
    std::vector<FileChange> changes;
    for (const nlohmann::json& json : nlohmann::json::from_cbor(text)) {
      changes.push_back(ChangeOf(json));
      if (!IsSane(changes.back())) return damaged;
    }
    return changes;
  } catch (const nlohmann::json::exception&) {
    return damaged;
  }
}

bool ChangeJournal::IsThere(const std::string& home) {
  for (const char* ending : {"", ".new", ".lock"}) {
    struct stat facts {};
    if (::lstat((JournalPath(home) + ending).c_str(), &facts) == 0) return true;
  }
  return false;
}

Result<ChangeJournal> ChangeJournal::Lock(const std::string& home) {
  Result<FilePlace> place = FilePlace::Find(JournalPath(home));
  if (!place) return place.error();
  if (Status s = place->MakeFolders(0700); !s) return s.error();
  Result<UniqueFd> lock = TakeLock(*place);
  if (!lock) return lock.error();
  return ChangeJournal(std::move(*place), std::move(*lock));
}

ChangeJournal::~ChangeJournal() {
  if (lock_.valid()) ::unlinkat(place_.folder(), kLock, 0);
}

Result<std::vector<FileChange>> ChangeJournal::Read() const {
  const Result<std::optional<struct stat>> facts = place_.Facts();
  if (!facts) return facts.error();
  if (!*facts) return std::vector<FileChange>();
  if ((*facts)->st_uid != ::geteuid() || ((*facts)->st_mode & 077) != 0) {
    return Unusable(path(), "another user owns it or can write it");
  }
  const Result<std::optional<std::string>> text = place_.Read();
  if (!text) return text.error();
  return ParseJournal(text->value_or(""), path());
}

Status ChangeJournal::Write(const std::vector<FileChange>& changes) const {
  ::unlinkat(place_.folder(), kNew, 0);  // left by a command that was killed
  return place_.Replace(kNew, RenderJournal(changes), {.mode = 0600});
}

Status ChangeJournal::Remove() const {
  ::unlinkat(place_.folder(), kNew, 0);
  return place_.Remove();
}

}  // namespace ringfence
