#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

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
  explicit OpenCall(const CallArguments& arguments) : arguments_(arguments) {}

  CallResult Answer() {
    const Result<std::string> text = arguments_.path();
    if (!text) return {text.error().code, ""};
    // EAGAIN: the name changed between two lookups.
    int code = EAGAIN;
    for (int tries = 0; code == EAGAIN && tries < kMaxRaces; ++tries) {
      code = FollowLinks(caller_, arguments_.fd(), *text,
                         [this](const Location& at, bool& link) { return OpenName(at, link); });
    }
    if (code != 0) return {code, std::move(path_)};
    caller_.ReturnDescriptor(std::move(opened_), (flags_ & O_CLOEXEC) != 0);
    return {CallResult::kAnswered, ""};
  }

 private:
  static constexpr int kWaits = CallResult::kAnswered;  // the answer comes later

  bool Has(int flag) const { return (flags_ & flag) == flag; }

  bool Changes() const { return (flags_ & O_ACCMODE) != O_RDONLY || (flags_ & O_TRUNC) != 0; }

  // Sets `link` if the name is a link to follow.
  int OpenName(const Location& location, bool& link) {
    path_ = location.path();
    struct stat facts {};
    if (::fstatat(location.folder.get(), location.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      return errno == ENOENT ? Create(location) : errno;
    }
    if (!S_ISLNK(facts.st_mode)) return OpenExisting(location, facts);
    if (Has(O_CREAT | O_EXCL)) return EEXIST;
    if (Has(O_NOFOLLOW)) return ELOOP;
    if (location.is_in_proc()) return OpenJump(location);
    link = true;
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
    if (const int made = OpenNoLink(folder, location.name, flags_ | O_EXCL)) {
      return made == EEXIST && !Has(O_EXCL) ? EAGAIN : made;
    }
    if (const int code = EvaluateCreated(supervision_, location, folder, SandboxScope::kName)) {
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

  mode_t NewMode() const { return arguments_.mode() & ~static_cast<mode_t>(S_ISUID | S_ISGID); }

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
      if (const int code = EvaluateProcEntry(caller_, path_)) return code;
      const AsCaller as_caller(caller_, path_);
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
    const int wanted = Has(O_TMPFILE) ? flags_ : FlagsToOpen() & ~O_CREAT;
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
    Result<UniqueFd> target = Jump(caller_, link);
    if (!target) return target.error().code;
    Handle handle{.fd = std::move(*target), .path = {}};
    // Reading is allowed even for a file that must be replaced as a whole (whole_files.h).
    const SandboxScope reach = Changes() ? SandboxScope::kName : SandboxScope::kWhole;
    if (const int code = EvaluateHandle(supervision_, handle, reach)) return code;
    path_ = handle.path;
    // An entry of /proc/PID gives access to that process, however the caller obtained it.
    if (const int code = EvaluateProcEntry(caller_, path_)) return code;
    struct stat facts {};
    if (::fstat(handle.fd.get(), &facts) != 0) return errno;
    return S_ISFIFO(facts.st_mode) ? OpenFifoHandle(std::move(handle.fd)) : Reopen(handle.fd);
  }

  int Reopen(const UniqueFd& handle) {
    const AsCaller as_caller(supervision_);
    const int flags = FlagsToOpen() & ~(O_CREAT | O_EXCL | O_NOFOLLOW);
    std::optional<CallersMask> mask;
    if ((flags & O_TMPFILE) == O_TMPFILE) mask.emplace(caller_);
    opened_ = ReopenFile(supervision_, handle, flags | kDoor, NewMode());
    if (!opened_.valid()) return errno;
    return TruncatesUnwritten() ? Empty() : 0;
  }

  // True for O_TRUNC without O_WRONLY or O_RDWR. Landlock has no right for this before version 3,
  // and does not check it. The access mode O_ACCMODE is neither reading nor writing (open(2)).
  bool TruncatesUnwritten() const {
    const int access = flags_ & O_ACCMODE;
    return Has(O_TRUNC) && !Has(O_PATH) && access != O_WRONLY && access != O_RDWR;
  }

  int FlagsToOpen() const { return TruncatesUnwritten() ? flags_ & ~O_TRUNC : flags_; }

  // Truncates the opened file, if it can be opened for writing as well.
  int Empty() {
    struct stat facts {};
    int code = ::fstat(opened_.get(), &facts) == 0 ? 0 : errno;
    if (code == 0 && S_ISREG(facts.st_mode)) {
      const UniqueFd writable = ReopenFile(supervision_, opened_, O_WRONLY);
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
    if (held != O_RDWR && held != (flags_ & O_ACCMODE)) return false;
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
    const int code = TryFifo(supervision_, handle, flags_, opened_);
    if (code != ENXIO || Has(O_NONBLOCK)) return code;
    if (supervision_.waiting.size() >= kMaxWaiting) return ENFILE;
    supervision_.waiting.push_back({caller_.call(), std::move(handle), flags_});
    return kWaits;
  }

  const CallArguments& arguments_;
  const SupervisedCaller& caller_ = arguments_.caller();
  Supervision& supervision_ = caller_.supervision();
  const int flags_ = arguments_.has_flags() ? arguments_.flags() : O_CREAT | O_WRONLY | O_TRUNC;
  UniqueFd opened_;
  std::string path_;
};

}  // namespace

CallResult AnswerOpen(const CallArguments& arguments) { return OpenCall(arguments).Answer(); }

}  // namespace ringfence
