#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include "sandbox/linux/git_names.h"
#include "sandbox/linux/mounts.h"
#include "sandbox/linux/own_work_tree.h"
#include "sandbox/linux/proc_entry.h"
#include "sandbox/linux/supervised_calls.h"
#include "sandbox/linux/waiting_opens.h"
#include "sandbox/linux/whole_files.h"

namespace ringfence {
namespace {

constexpr size_t kMaxWaiting = 512;            // each holds one of the supervisor's descriptors
constexpr int kMaxRaces = 100;                 // retries while others change the same directory
constexpr int kDoor = O_CLOEXEC | O_NOCTTY;    // for every open: the descriptor is only passed on
constexpr dev_t kControllingTerminal = 0x500;  // 5:0, /dev/tty
// The O_LARGEFILE that openat(2) adds on 64-bit systems (asm/fcntl.h); glibc defines it as 0.
#ifdef __aarch64__
constexpr int kLargeFile = 0400000;
#else
constexpr int kLargeFile = 0100000;
#endif

class OpenCall {
 public:
  OpenCall(const SupervisedCaller& caller, const seccomp_notif& call, Supervision& supervision,
           OpenRequest request)
      : caller_(caller), call_(call), supervision_(supervision), request_(std::move(request)) {}

  void Answer() {
    int code = EAGAIN;
    for (int tries = 0; code == EAGAIN && tries < kMaxRaces; ++tries) code = Try();
    if (code == kWaits) return;
    if (code != 0) {
      if (code == EROFS || code == EACCES) Report(supervision_, path_, nullptr, code);
      return caller_.ReturnError(code);
    }
    caller_.ReturnDescriptor(std::move(opened_), (request_.flags & O_CLOEXEC) != 0);
  }

 private:
  static constexpr int kWaits = -1;  // the answer comes later

  bool Has(int flag) const { return (request_.flags & flag) == flag; }

  bool Changes() const {
    return (request_.flags & O_ACCMODE) != O_RDONLY || (request_.flags & O_TRUNC) != 0;
  }

  // Returns 0, an errno value or kWaits; EAGAIN if the name changed between two lookups.
  int Try() {
    std::string text = request_.text;
    UniqueFd from;  // directory of the link that was followed last
    for (int links = 0; links <= kMaxLinks; ++links) {
      Result<Location> at = from.valid() ? LocateBelow(caller_, supervision_, from, text)
                                         : Locate(caller_, supervision_, request_.fd, text);
      if (!at) return at.error().code;
      if (!caller_.IsWaiting()) return ESRCH;
      bool is_link = false;
      const int code = OpenStep(*at, &is_link);
      if (code != 0 || !is_link) return code;
      Result<std::string> target = ReadLinkAt(at->folder, at->name);
      if (!target) return target.error().code;
      text = std::move(*target);
      if (at->must_be_folder) text += "/";
      from = std::move(at->folder);
    }
    return ELOOP;
  }

  // Sets `link` if the name is a link to follow.
  int OpenStep(const Location& location, bool* link) {
    path_ = location.path();
    struct stat facts {};
    if (::fstatat(location.folder.get(), location.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      return errno == ENOENT ? Create(location) : errno;
    }
    if (!S_ISLNK(facts.st_mode)) return OpenExisting(location, facts);
    if (Has(O_CREAT | O_EXCL)) return EEXIST;
    if (Has(O_NOFOLLOW)) return ELOOP;
    if (location.is_in_proc()) return OpenJump(location);
    *link = true;
    return 0;
  }

  int Create(const Location& location) {
    if (!Has(O_CREAT) || Has(O_PATH)) return ENOENT;
    if (location.must_be_folder) return EISDIR;
    if (Has(O_DIRECTORY)) return EINVAL;
    const WholeFile file = WholeFileOf(location);
    if (IsMadeFixed(file) && MustComeWhole(supervision_, location)) {
      return CreateFixed(location, file);
    }
    if (const int code = EvaluateName(supervision_, location, SandboxScope::kName)) return code;
    const UniqueFd& folder = FolderToChange(supervision_, location);
    if (const int made = OpenNoLink(folder, location.name, request_.flags | O_EXCL)) {
      return made == EEXIST && !Has(O_EXCL) ? EAGAIN : made;
    }
    int code = EvaluateMade(supervision_, location, SandboxScope::kName);
    if (code == 0 && HasBecomeBare(supervision_, location)) code = EACCES;
    if (code != 0) {
      ::unlinkat(folder.get(), location.name.c_str(), 0);
      opened_ = UniqueFd();
      return code;
    }
    NoteGitFile(supervision_, location);
    return 0;
  }

  // Fails with ELOOP for a link. Uses openat2(2), because O_NOFOLLOW would stay with the
  // descriptor, where fcntl(2) shows it to a program that did not ask for it.
  int OpenNoLink(const UniqueFd& folder, const std::string& name, int flags) {
    const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    open_how how{};
    how.flags = static_cast<unsigned>(Known(flags));
    how.mode = makes ? NewMode() : 0;
    how.resolve = RESOLVE_NO_SYMLINKS;
    std::optional<CallersMask> mask;
    if (makes) mask.emplace(caller_);
    opened_ = OpenAs(folder.get(), name, how);
    return opened_.valid() ? 0 : errno;
  }

  mode_t NewMode() const { return request_.mode & ~static_cast<mode_t>(S_ISUID | S_ISGID); }

  // Drops unknown flags, as openat(2) does; openat2(2) would refuse them.
  static int Known(int flags) {
    constexpr int kWithPath = O_DIRECTORY | O_NOFOLLOW | O_PATH | O_CLOEXEC;
    constexpr int kAll = O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK |
                         O_SYNC | O_ASYNC | O_DIRECT | O_LARGEFILE | O_NOATIME | O_TMPFILE |
                         kWithPath;
    if ((flags & O_PATH) != 0) return (flags & kWithPath) | O_CLOEXEC;
    return (flags & kAll) | kLargeFile | kDoor;
  }

  // Creates the file with the content that git is about to write, and gives the caller /dev/null.
  int CreateFixed(const Location& location, WholeFile file) {
    if (const int code = MakeFixed(location, file)) return code;
    opened_ = UniqueFd(::openat(supervision_.root.get(), "dev/null", O_RDWR | kDoor));
    return opened_.valid() ? 0 : errno;
  }

  int OpenExisting(const Location& location, const struct stat& facts) {
    if (Has(O_CREAT | O_EXCL)) return EEXIST;
    // Opening a directory does not change it; O_TMPFILE creates a file without a name.
    if (!S_ISDIR(facts.st_mode)) {
      if (location.must_be_folder) return ENOTDIR;
      if (!Has(O_PATH) && Changes()) {
        if (const int code = EvaluateName(supervision_, location, SandboxScope::kName)) return code;
      }
    }
    if (S_ISFIFO(facts.st_mode) && !Has(O_PATH)) return OpenFifo(location);
    if (S_ISCHR(facts.st_mode) && facts.st_rdev == kControllingTerminal) return OpenTerminal();
    if (location.is_in_proc()) {
      if (const int code = EvaluateProcEntry(caller_, supervision_, path_)) return code;
      const AsCaller as_caller(caller_, supervision_, path_);
      return OpenAt(location.folder, location.name);
    }
    if (S_ISREG(facts.st_mode)) return OpenPlain(location);
    return OpenAt(location.folder, location.name);
  }

  // Only regular files may leave the supervisor's own writable directories: another kind of file
  // may have taken the name since the check.
  int OpenPlain(const Location& location) {
    const int code = OpenAt(FolderToChange(supervision_, location), location.name);
    struct stat facts {};
    if (code != 0 || (::fstat(opened_.get(), &facts) == 0 && S_ISREG(facts.st_mode))) return code;
    opened_ = UniqueFd();
    return EAGAIN;
  }

  // Never waits: another sandbox may have put a FIFO there since the check.
  int OpenAt(const UniqueFd& folder, const std::string& name) {
    const int wanted = Has(O_TMPFILE) ? request_.flags : FlagsToOpen() & ~O_CREAT;
    const int code = OpenNoLink(folder, name, wanted | O_NONBLOCK);
    if (code == ELOOP) return EAGAIN;
    if (Has(O_PATH)) return code;
    struct stat facts {};
    const int looked = code == 0
                           ? ::fstat(opened_.get(), &facts)
                           : ::fstatat(folder.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW);
    if ((code == 0 || code == ENXIO) && looked == 0 && S_ISFIFO(facts.st_mode)) {
      opened_ = UniqueFd();
      return EAGAIN;
    }
    if (code != 0) return code;
    if (const int failed = TruncatesUnwritten() ? Empty() : 0) return failed;
    return Has(O_NONBLOCK) ? 0 : MakeBlocking(opened_);
  }

  // Opens through a magic link, such as /dev/stdout or /proc/self/fd/3.
  int OpenJump(const Location& location) {
    const int code = ReopenTarget(location);
    if (code == 0 || code == kWaits) return code;
    // The caller may reopen what it already holds: its output may be one of the host's files.
    return HasSame(location) ? 0 : code;
  }

  int ReopenTarget(const Location& link) {
    Result<UniqueFd> target = Jump(caller_, supervision_, link);
    if (!target) return target.error().code;
    Handle handle{.fd = std::move(*target), .path = {}};
    // Reading is allowed even for a file that must be replaced as a whole (whole_files.h).
    const SandboxScope reach = Changes() ? SandboxScope::kName : SandboxScope::kWhole;
    if (const int code = EvaluateHandle(supervision_, handle, reach)) return code;
    path_ = handle.path;
    // An entry of /proc/PID gives access to that process, however the caller obtained it.
    if (const int code = EvaluateProcEntry(caller_, supervision_, path_)) return code;
    struct stat facts {};
    if (::fstat(handle.fd.get(), &facts) != 0) return errno;
    return S_ISFIFO(facts.st_mode) ? OpenFifoHandle(std::move(handle.fd)) : Reopen(handle.fd);
  }

  int Reopen(const UniqueFd& handle) {
    const AsCaller as_caller(supervision_);
    const std::string own_name = std::to_string(handle.get());
    const int flags = FlagsToOpen() & ~(O_CREAT | O_EXCL | O_NOFOLLOW);
    std::optional<CallersMask> mask;
    if ((flags & O_TMPFILE) == O_TMPFILE) mask.emplace(caller_);
    opened_ =
        UniqueFd(::openat(supervision_.own_fds.get(), own_name.c_str(), flags | kDoor, NewMode()));
    if (!opened_.valid()) return errno;
    return TruncatesUnwritten() ? Empty() : 0;
  }

  // True for O_TRUNC without O_WRONLY or O_RDWR. Landlock has no right for this before version 3,
  // and does not check it. The access mode O_ACCMODE is neither reading nor writing (open(2)).
  bool TruncatesUnwritten() const {
    const int access = request_.flags & O_ACCMODE;
    return Has(O_TRUNC) && !Has(O_PATH) && access != O_WRONLY && access != O_RDWR;
  }

  int FlagsToOpen() const {
    return TruncatesUnwritten() ? request_.flags & ~O_TRUNC : request_.flags;
  }

  // Truncates the opened file, if it can be opened for writing as well.
  int Empty() {
    struct stat facts {};
    int code = ::fstat(opened_.get(), &facts) == 0 ? 0 : errno;
    if (code == 0 && S_ISREG(facts.st_mode)) {
      const std::string own_name = std::to_string(opened_.get());
      const UniqueFd writable(
          ::openat(supervision_.own_fds.get(), own_name.c_str(), O_WRONLY | O_CLOEXEC));
      code = writable.valid() && ::ftruncate(writable.get(), 0) == 0 ? 0 : errno;
    }
    if (code == 0 && S_ISDIR(facts.st_mode)) code = EISDIR;
    if (code != 0) opened_ = UniqueFd();
    return code;
  }

  bool HasSame(const Location& location) {
    const std::string own = "/proc/" + std::to_string(caller_.process()) + "/";
    if (!location.folder_path.starts_with(own) || !location.folder_path.ends_with("/fd")) {
      return false;
    }
    int number = -1;
    std::from_chars(location.name.data(), location.name.data() + location.name.size(), number);
    Result<UniqueFd> held_fd = caller_.Descriptor(number);
    if (!held_fd) return false;
    const int flags = ::fcntl(held_fd->get(), F_GETFL);
    if (flags < 0 || (flags & O_PATH) != 0) return false;
    const int held = flags & O_ACCMODE;
    if (held != O_RDWR && held != (request_.flags & O_ACCMODE)) return false;
    opened_ = std::move(*held_fd);
    return true;
  }

  // Opens the caller's controlling terminal; the supervisor has none.
  int OpenTerminal() {
    const std::string name = caller_.TerminalName();
    if (name.empty()) return ENXIO;
    if (name == HeldTerminalName()) {
      opened_ = UniqueFd(::fcntl(supervision_.terminal.get(), F_DUPFD_CLOEXEC, 0));
      return opened_.valid() ? 0 : errno;
    }
    const UniqueFd devices = OpenFolder(supervision_.root, "dev");
    if (!devices.valid()) return ENXIO;
    const int code = OpenAt(devices, name);
    return code == ENOENT ? ENXIO : code;
  }

  std::string HeldTerminalName() const {
    struct stat facts {};
    const bool holds =
        supervision_.terminal.valid() && ::fstat(supervision_.terminal.get(), &facts) == 0;
    return holds ? PseudoTerminalName(facts.st_rdev) : "";
  }

  int OpenFifo(const Location& location) {
    UniqueFd handle(
        ::openat(location.folder.get(), location.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!handle.valid()) return errno;
    return OpenFifoHandle(std::move(handle));
  }

  // Never waits here, so that other calls are served. A read-only mount does not prevent writes to
  // a FIFO.
  int OpenFifoHandle(UniqueFd handle) {
    struct statfs mount {};
    if (::fstatfs(handle.get(), &mount) != 0) return errno;
    if (!Has(O_PATH) && Changes() && (mount.f_flags & ST_RDONLY) != 0) return EROFS;
    const int code = TryFifo(supervision_, handle, request_.flags, opened_);
    if (code != ENXIO || Has(O_NONBLOCK)) return code;
    if (supervision_.waiting.size() >= kMaxWaiting) return ENFILE;
    supervision_.waiting.push_back({call_, std::move(handle), request_.flags});
    return kWaits;
  }

  const SupervisedCaller& caller_;
  const seccomp_notif& call_;
  Supervision& supervision_;
  OpenRequest request_;
  UniqueFd opened_;
  std::string path_;
};

}  // namespace

void AnswerOpen(const SupervisedCaller& caller, const seccomp_notif& call, Supervision& supervision,
                OpenRequest request) {
  OpenCall(caller, call, supervision, std::move(request)).Answer();
}

}  // namespace ringfence
