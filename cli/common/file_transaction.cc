#include "cli/common/file_transaction.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/contains.h"
#include "base/environment.h"
#include "base/same_file.h"
#include "base/sealed.h"
#include "base/sha256.h"
#include "base/state_file.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/common/file_place.h"
#include "policy/load/trust.h"
#include "run/messages.h"

namespace ringfence {
namespace {

constexpr std::string_view kHeader = "ringfence journal 1\n";
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
         IsSameFile(own, named);
}

// The lock is not readable, because a process that can open it can lock it, and a confined command
// may read this directory.
Result<UniqueFd> TakeLock(const FilePlace& place) {
  const std::string name = place.path().Parent().Child(kLock).text();
  for (int tries = kTries; tries > 0;) {
    UniqueFd lock(::openat(place.folder(), kLock,
                           O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0200));
    if (!lock.valid()) {
      Error error = SystemError("open(" + name + ")");
      struct stat left {};
      const bool is_left = ::fstatat(place.folder(), kLock, &left, AT_SYMLINK_NOFOLLOW) == 0;
      error.hint = is_left ? "if no other ringfence command runs, remove it"
                   : !Variable("RINGFENCE_SANDBOX").empty()
                       ? "a sandbox cannot change what applies to it: run this command outside"
                       : "make " + Quote(place.path().Parent().text()) +
                             " writable; ringfence keeps its journal there";
      return error;
    }
    const Result<bool> is_locked = LockFile(lock.get(), tries);
    if (!is_locked) return is_locked.error();
    if (!*is_locked) break;
    if (IsStillNamed(lock.get(), place.folder())) return lock;
    --tries;  // the previous holder removed it
  }
  return Error{Error::Kind::kSystem, name, "is held by another ringfence command",
               "wait until that command has ended, and run this one again; nothing was changed"};
}

constexpr const char* kMissing = "";  // the digest of a missing file

std::string DigestOfFile(const std::optional<std::string>& bytes) {
  return bytes ? Sha256Hex(*bytes) : kMissing;
}

Status CheckUnchanged(const FilePlace& place, const std::optional<std::string>& expected) {
  const Result<std::optional<std::string>> now = place.Read();
  if (!now) return now.error();
  if (*now == expected) return Unit{};
  return ConfigError(place.path().text(), "was changed by another program in the meantime",
                     "run the command again");
}

Result<FilePlace> PlaceOf(const FileChange& change) {
  return FilePlace::FindPlain(Path::Clean(change.path));
}

// Returns an error if the file has contents that the command did not write; undoing would lose
// them.
Status CheckIsOurs(const FileChange& change) {
  if (change.is_folder) return Unit{};
  const Result<FilePlace> place = PlaceOf(change);
  if (!place) return place.error();
  const Result<std::optional<std::string>> now = place->Read();
  if (!now) return now.error();
  const bool is_ours = *now == change.before || Contains(change.ours, DigestOfFile(*now));
  if (is_ours) return Unit{};
  return ConfigError(
      change.path,
      "was changed after ringfence changed it, so an interrupted command is not undone", "");
}

Status PutBack(const FileChange& change) {
  const Result<FilePlace> place = PlaceOf(change);
  if (!place) return place.error();
  if (change.is_folder) return place->MakeFolder(change.ownership);
  if (place->MissingFolders().empty()) ::unlinkat(place->folder(), change.temporary.c_str(), 0);
  const Result<std::optional<std::string>> now = place->Read();
  if (!now) return now.error();
  if (*now != change.before) {
    Status s = change.before ? place->Replace(change.temporary, *change.before, change.ownership)
                             : place->Remove();
    if (!s) return s;
  }
  for (size_t i = change.folders.size(); i > 0; --i) {
    const Result<FilePlace> made = FilePlace::FindPlain(Path::Clean(change.folders[i - 1]));
    if (made) made->RemoveEmptyFolder();
  }
  return Unit{};
}

// Undoes all changes, or none if another program has changed one of the files.
Status UndoChanges(const std::vector<FileChange>& changes) {
  for (const FileChange& change : changes) {
    if (Status s = CheckIsOurs(change); !s) return s;
  }
  for (size_t i = changes.size(); i > 0; --i) {
    if (Status s = PutBack(changes[i - 1]); !s) return s;
  }
  return Unit{};
}

Status UndoFrom(const ChangeJournal& journal) {
  const Result<std::vector<FileChange>> changes = journal.Read();
  if (!changes) return changes.error();
  if (Status s = UndoChanges(*changes); !s) {
    Error error = s.error();
    if (error.hint.empty()) {
      error.hint = "to keep the files as they are, remove " + Quote(journal.path()) +
                   " and run the command again";
    }
    return error;
  }
  if (!changes->empty()) {
    Say("note: a ringfence command was interrupted; the files that it had changed were restored");
  }
  return journal.Remove();
}

}  // namespace

std::string RenderJournal(const std::vector<FileChange>& changes) {
  nlohmann::json list = nlohmann::json::array();
  for (const FileChange& change : changes) list.push_back(CborOf(change));
  std::string bytes;
  nlohmann::json::to_cbor(list, bytes);
  return Seal(kHeader, bytes);
}

Result<std::vector<FileChange>> ParseJournal(std::string_view text, const std::string& name) {
  const Error damaged = Unusable(name, "it is damaged or of another version");
  const std::optional<std::string_view> bytes = Unseal(kHeader, text);
  if (!bytes) return damaged;
  try {
    std::vector<FileChange> changes;
    for (const nlohmann::json& json : nlohmann::json::from_cbor(*bytes)) {
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
    return Unusable(path(), "it must be yours, with mode 0600");
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

Status FileTransaction::Open(const std::string& home) {
  home_ = home;
  if (!ChangeJournal::IsThere(home)) return Unit{};
  const Result<ChangeJournal> journal = ChangeJournal::Lock(home);
  if (!journal) return journal.error();
  return UndoFrom(*journal);
}

// Keeps other commands from changing files until the transaction ends.
Status FileTransaction::Lock() {
  if (home_.empty() || journal_) return Unit{};
  Result<ChangeJournal> journal = ChangeJournal::Lock(home_);
  if (!journal) return journal.error();
  const Result<std::vector<FileChange>> changes = journal->Read();
  if (!changes) return changes.error();
  if (!changes->empty()) {
    return ConfigError(journal->path(), "is of a ringfence command that was interrupted just now",
                       "run the command again");
  }
  journal_.emplace(std::move(*journal));
  return Unit{};
}

Result<FileChange*> FileTransaction::ChangeAt(const FilePlace& place,
                                              const std::optional<std::string>& before) {
  const std::string& path = place.path().text();
  const auto known = std::ranges::find(changes_, path, &FileChange::path);
  if (known != changes_.end()) return &*known;
  FileChange change;
  change.path = path;
  change.before = before;
  change.temporary = TemporaryName();
  change.folders = place.MissingFolders();
  const Result<std::optional<struct stat>> facts = place.Facts();
  if (!facts) return facts.error();
  if (*facts) change.ownership = OwnershipOf(**facts);
  return &changes_.emplace_back(std::move(change));
}

Status FileTransaction::Keep(const FileChange& change) const {
  if (!journal_) return Unit{};
  const Status status = journal_->Write(changes_);
  if (status) return Unit{};
  Error error = status.error();
  error.where = change.path;
  error.hint = "first " + Quote(journal_->path()) + " has to be written; " + error.hint;
  return error;
}

Status FileTransaction::Write(const std::string& path, const std::optional<std::string>& expected,
                              const std::string& bytes, NewFileModes modes) {
  if (Status s = Lock(); !s) return s;
  Result<FilePlace> place = FilePlace::Find(path);
  if (!place) return place.error();
  if (Status s = CheckUnchanged(*place, expected); !s) return s;
  const Result<FileChange*> change = ChangeAt(*place, expected);
  if (!change) return change.error();
  (*change)->ours.push_back(Sha256Hex(bytes));
  if (Status s = Keep(**change); !s) return s;
  if (Status s = place->MakeFolders(modes.folders); !s) return s;
  return place->Replace((*change)->temporary, bytes, {.mode = modes.file});
}

Status FileTransaction::Remove(const std::string& path,
                               const std::optional<std::string>& expected) {
  if (Status s = Lock(); !s) return s;
  const Result<FilePlace> place = FilePlace::Find(path);
  if (!place) return place.error();
  if (Status s = CheckUnchanged(*place, expected); !s) return s;
  if (!expected) return Unit{};
  const Result<FileChange*> change = ChangeAt(*place, expected);
  if (!change) return change.error();
  (*change)->ours.emplace_back(kMissing);
  if (Status s = Keep(**change); !s) return s;
  return place->Remove();
}

Status FileTransaction::RemoveEmptyFolder(const std::string& path) {
  if (Status s = Lock(); !s) return s;
  const Result<FilePlace> place = FilePlace::Find(path);
  if (!place) return place.error();
  const Result<std::optional<struct stat>> facts = place->Facts();
  if (!facts) return facts.error();
  if (!*facts || !S_ISDIR((*facts)->st_mode)) return Unit{};
  const Result<FileChange*> change = ChangeAt(*place, {});
  if (!change) return change.error();
  (*change)->is_folder = true;
  if (Status s = Keep(**change); !s) return s;
  place->RemoveEmptyFolder();
  return Unit{};
}

Status FileTransaction::Commit() {
  if (journal_) {
    if (Status s = journal_->Remove(); !s) return s;
  }
  changes_.clear();
  journal_.reset();
  return Unit{};
}

FileTransaction::~FileTransaction() {
  if (changes_.empty()) return;
  Status status = UndoChanges(changes_);
  if (status && journal_) status = journal_->Remove();
  if (!status) Say("warning: files could not be put back: " + Printable(status.error().text()));
}

}  // namespace ringfence
