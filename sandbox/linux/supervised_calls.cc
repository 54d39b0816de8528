// AnswerCall(): carries out each supervised call on behalf of the caller.
#include "sandbox/linux/supervised_calls.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/inside.h"
#include "base/syscall.h"
#include "sandbox/linux/git_names.h"
#include "sandbox/linux/nested_rules.h"
#include "sandbox/linux/own_work_tree.h"
#include "sandbox/linux/whole_files.h"

namespace ringfence {
namespace {

#ifdef __aarch64__
constexpr uint32_t kOwnArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kOwnArchitecture = AUDIT_ARCH_X86_64;
#endif

bool IsFor32Bits(const UniqueFd& program) {
  std::array<unsigned char, EI_NIDENT> begin{};
  return ::pread(program.get(), begin.data(), begin.size(), 0) == EI_NIDENT &&
         std::memcmp(begin.data(), ELFMAG, SELFMAG) == 0 && begin[EI_CLASS] == ELFCLASS32;
}

// Calls of another architecture, made by 32-bit programs or, through int 0x80, by 64-bit programs.
// They have different numbers and hide their arguments from a filter (socketcall(2)), so none is
// carried out.
bool IsForeign(const seccomp_notif& call) { return call.data.arch != kOwnArchitecture; }

// Ends a 32-bit program, which would crash without its calls, and reports why. Any other caller
// gets ENOSYS.
void AnswerForeign(const SupervisedCaller& caller) {
  Supervision& supervision = caller.supervision();
  const pid_t process = caller.process();
  const std::string name = std::to_string(process) + "/exe";
  const UniqueFd program(::openat(supervision.proc.get(), name.c_str(), O_RDONLY | O_CLOEXEC));
  if (process <= 0 || !program.valid() || !IsFor32Bits(program) || !caller.IsWaiting()) {
    return caller.ReturnError(ENOSYS);
  }
  const Result<std::string> path = RealPath(supervision, program);
  if (path) ReportProgram(supervision, *path, "the sandbox runs no 32-bit programs");
  ::kill(process, SIGKILL);
}

class Call {
 public:
  Call(const SupervisedCaller& caller, const CallShape& shape)
      : caller_(caller), supervision_(caller.supervision()), arguments_(caller, shape) {}

  void Answer() {
    using enum SupervisedCall;
    const SupervisedCall what = arguments_.what();
    if (what == kOpen) return Return(AnswerOpen(arguments_));
    if (what == kMkdir) return Return(Mkdir());
    if (what == kMknod) return Return(Mknod());
    if (what == kSymlink) return Return(Symlink());
    if (what == kLink) return Return(Link());
    if (what == kRename) return Return(Rename());
    if (what == kUnlink || what == kRmdir) return Return(Unlink());
    if (what == kBind) return Return(AnswerBind(arguments_));
    if (what == kSignal) return AnswerSignal(caller_);
    if (what == kConnect) return Connect();
    Return(AnswerHandleCall(arguments_));
  }

 private:
  void Return(CallResult result) {
    last_path_ = std::move(result.path);
    Return(result.code);
  }

  // `code` as in CallResult.
  void Return(int code) {
    if (code == CallResult::kAnswered) return;
    if (code == 0) return caller_.ReturnValue(0);
    if (code == EROFS || code == EACCES) Report(supervision_, last_path_, nullptr, code);
    if (code == EPERM && arguments_.is_out_of_reach()) {
      ReportProgram(supervision_, caller_.ProgramName(),
                    "its memory cannot be read, so the sandbox cannot check its calls: the program "
                    "file has no read permission, or the program has made itself undumpable "
                    "(PR_SET_DUMPABLE)");
    }
    caller_.ReturnError(code);
  }

  Result<Location> Find(int fd, const Result<std::string>& text) {
    if (!text) return text.error();
    Result<Location> location = Locate(caller_, fd, *text);
    if (location) last_path_ = location->path();
    if (location && !caller_.IsWaiting()) return Errno(ESRCH);
    return location;
  }

  int Evaluate(const Location& location, SandboxScope reach) {
    return EvaluateName(supervision_, location, reach);
  }

  // Called after anything but a directory was created in `folder`; undoes that if it is refused.
  int Made(long result, const Location& location, const UniqueFd& folder,
           SandboxScope reach = SandboxScope::kName) {
    if (result != 0) return errno;
    if (const int code = EvaluateCreated(supervision_, location, folder, reach)) return code;
    NoteGitFile(supervision_, location);
    return 0;
  }

  void Connect() {
    if (supervision_.network.proxy_port == 0) return AwaitGateway(arguments_);
    Return(ConnectToProxyPort(arguments_));
  }

  int MakeFolder(const UniqueFd& folder, const std::string& name) const {
    const CallersMask mask(caller_);
    return ::mkdirat(folder.get(), name.c_str(), arguments_.mode()) == 0 ? 0 : errno;
  }

  int Mkdir() {
    AwaitTick(supervision_);
    const Result<Location> at = Find(arguments_.fd(), arguments_.path());
    if (!at) return at.error().code;
    // As the kernel answers first: mkdir -p asks for each directory above, and is refused none.
    struct stat facts {};
    if (::fstatat(at->folder.get(), at->name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0) {
      return EEXIST;
    }
    if (const int code = Evaluate(*at, SandboxScope::kFolder)) return code;
    const UniqueFd& folder = FolderToChange(supervision_, *at);
    if (const int code = MakeFolder(folder, at->name)) return code;
    if (const int code = EvaluateCreated(supervision_, *at, folder, SandboxScope::kFolder))
      return code;
    NoteRepository(supervision_, *at);
    return 0;
  }

  int MakeNode(const Location& at, mode_t mode, dev_t device) const {
    const CallersMask mask(caller_);
    return ::mknodat(at.folder.get(), at.name.c_str(), mode, device);
  }

  int Mknod() {
    const Result<Location> at = Find(arguments_.fd(), arguments_.path());
    if (!at) return at.error().code;
    if (const int code = Evaluate(*at, SandboxScope::kName)) return code;
    const mode_t type = static_cast<mode_t>(arguments_.raw_mode()) & S_IFMT;
    const auto device = static_cast<dev_t>(arguments_.raw_flags());
    const mode_t mode = arguments_.mode() & ~static_cast<mode_t>(S_ISUID | S_ISGID);
    return Made(MakeNode(*at, type | mode, device), *at, at->folder);
  }

  int Symlink() {
    const Result<std::string> target = arguments_.path();
    if (!target) return target.error().code;
    const Result<Location> at = Find(arguments_.fd2(), arguments_.path2());
    if (!at) return at.error().code;
    if (const int code = EvaluateLink(supervision_, *at, *target)) return code;
    return Made(::symlinkat(target->c_str(), at->folder.get(), at->name.c_str()), *at, at->folder,
                SandboxScope::kTree);
  }

  // Evaluates both names: otherwise the new name would permit changes that the old one does not.
  int Link() {
    const Result<std::string> old_text = arguments_.path();
    if (!old_text) return old_text.error().code;
    Handle old_file;
    if (old_text->empty() && (arguments_.flags() & AT_EMPTY_PATH) != 0) {
      Result<UniqueFd> own = caller_.Descriptor(arguments_.fd());
      if (!own) return own.error().code;
      const Result<std::string> name = arguments_.path2();
      if (name && *name == kRulesName) return TakeRules(caller_, *own);
      old_file.fd = std::move(*own);
    } else {
      const bool follow = (arguments_.flags() & AT_SYMLINK_FOLLOW) != 0;
      const int code = OpenHandle(caller_, {arguments_.fd(), *old_text, follow}, old_file);
      if (code != 0) return code;
    }
    if (const int code = EvaluateHandle(supervision_, old_file)) return code;
    const Result<Location> at = Find(arguments_.fd2(), arguments_.path2());
    if (!at) return at.error().code;
    struct stat facts {};
    if (::fstat(old_file.fd.get(), &facts) != 0) return errno;
    // A symbolic link can have a second hard link as well.
    const bool is_link = S_ISLNK(facts.st_mode);
    const SandboxScope reach = is_link ? SandboxScope::kTree : SandboxScope::kName;
    const int code = is_link ? EvaluateLink(supervision_, *at, "") : Evaluate(*at, reach);
    if (code != 0) return code;
    const UniqueFd& folder = FolderToChange(supervision_, *at);
    return Made(::linkat(supervision_.own_fds.get(), old_file.own_name().c_str(), folder.get(),
                         at->name.c_str(), AT_SYMLINK_FOLLOW),
                *at, folder, reach);
  }

  int Rename() {
    const Result<Location> from = Find(arguments_.fd(), arguments_.path());
    if (!from) return from.error().code;
    const Result<Location> to = Find(arguments_.fd2(), arguments_.path2());
    if (!to) return to.error().code;
    const bool exchange = (arguments_.flags() & kRenameExchange) != 0;
    // Moving into or out of the sandbox's own directories fails as between two mounts, which they
    // are if anything can be mounted.
    const GuardedNames& names = supervision_.names;
    if (names.IsOwn(from->path()) != names.IsOwn(to->path())) return EXDEV;
    SandboxScope reach = SandboxScope::kName;
    if (const int code = EvaluateMove(*from, *to, reach)) return code;
    if (exchange) {
      if (const int code = EvaluateMove(*to, *from, reach)) return code;
    }
    // An exchange would put the other file there without a check of its content.
    if (exchange && MustComeWhole(supervision_, *from)) return EACCES;
    const bool is_same = from->path() == to->path();
    if (!is_same && MustComeWhole(supervision_, *to)) return Replace(*from, *to);
    return Move(*from, *to, reach);
  }

  int Move(const Location& from, const Location& to, SandboxScope reach) {
    const bool exchange = (arguments_.flags() & kRenameExchange) != 0;
    // A trailing slash requires a directory; the kernel checks that.
    const std::string from_name = from.name + (from.must_be_folder ? "/" : "");
    const std::string to_name = to.name + (to.must_be_folder ? "/" : "");
    const UniqueFd& from_folder = FolderToChange(supervision_, from);
    const UniqueFd& to_folder = FolderToChange(supervision_, to);
    const long moved = ::syscall(SYS_renameat2, from_folder.get(), from_name.c_str(),
                                 to_folder.get(), to_name.c_str(), arguments_.flags());
    if (moved != 0) return errno;
    if (const int code = EvaluateAfterMove(from, to, reach)) {
      const bool is_back =
          ::syscall(SYS_renameat2, to_folder.get(), to_name.c_str(), from_folder.get(),
                    from_name.c_str(), exchange ? kRenameExchange : kRenameNoReplace) == 0;
      // Another sandbox may have put something else there in the meantime.
      const auto is_refused = [&](const Location& at) {
        return EvaluateMade(supervision_, at, reach) != 0;
      };
      if (!is_back || (exchange && is_refused(to))) PutAside(to_folder, to_name);
      if (is_back ? is_refused(from) : exchange) PutAside(from_folder, from_name);
      return code;
    }
    NoteGitFile(supervision_, to);
    MoveExempted(supervision_, from.path(), to.path());
    if (exchange) MoveExempted(supervision_, to.path(), from.path());
    return 0;
  }

  int EvaluateAfterMove(const Location& from, const Location& to, SandboxScope reach) {
    const bool exchange = (arguments_.flags() & kRenameExchange) != 0;
    if (const int code = EvaluateMade(supervision_, to, reach)) return code;
    if (exchange) {
      if (const int code = EvaluateMade(supervision_, from, reach)) return code;
    }
    if (reach == SandboxScope::kTree) {
      if (const int code = EvaluateMoved(supervision_, from, to)) return code;
    }
    return HasBecomeBare(supervision_, to) ? EACCES : 0;
  }

  // If another process has already taken the old name, any other name is better than a refused one.
  static void PutAside(const UniqueFd& folder, const std::string& name) {
    constexpr int kTries = 100;
    for (int i = 0; i < kTries; ++i) {
      uint64_t number = 0;
      if (::getrandom(&number, sizeof number, 0) < 0) return;
      const std::string aside = ".ringfence-refused-" + std::to_string(number);
      const long moved = ::syscall(SYS_renameat2, folder.get(), name.c_str(), folder.get(),
                                   aside.c_str(), kRenameNoReplace);
      if (moved == 0 || errno != EEXIST) return;
    }
  }

  int Replace(const Location& from, const Location& to) {
    if ((arguments_.flags() & ~kRenameNoReplace) != 0) return EACCES;
    if (from.must_be_folder || to.must_be_folder) return ENOTDIR;
    return SaveWhole(supervision_, from, to, arguments_.flags() == 0);
  }

  // A regular file brings one name; a directory or a link brings everything below it, so `reach`
  // becomes kTree.
  int EvaluateMove(const Location& from, const Location& to, SandboxScope& reach) {
    struct stat facts {};
    if (::fstatat(from.folder.get(), from.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      return errno;
    }
    const bool has_below = S_ISDIR(facts.st_mode) || S_ISLNK(facts.st_mode);
    if (!has_below) {
      if (const int code = Evaluate(from, SandboxScope::kWhole)) return code;
      return Evaluate(to, SandboxScope::kWhole);
    }
    reach = SandboxScope::kTree;
    if (const int code = EvaluateTree(supervision_, from, from)) return code;
    return EvaluateTree(supervision_, to, from);
  }

  int Unlink() {
    const Result<Location> at = Find(arguments_.fd(), arguments_.path());
    if (!at) return at.error().code;
    const bool is_folder =
        arguments_.what() == SupervisedCall::kRmdir || (arguments_.flags() & AT_REMOVEDIR) != 0;
    const int unknown = arguments_.flags() & ~AT_REMOVEDIR;
    if (unknown != 0) return EINVAL;
    if (HoldsExempted(supervision_, *at)) return UnlinkGit(*at, is_folder);
    if (const int code = Evaluate(*at, is_folder ? SandboxScope::kFolder : SandboxScope::kWhole))
      return code;
    const std::string name = at->name + (at->must_be_folder && !is_folder ? "/" : "");
    if (is_folder) RemoveKeptGit(supervision_, *at);
    const UniqueFd& folder = FolderToChange(supervision_, *at);
    return ::unlinkat(folder.get(), name.c_str(), is_folder ? AT_REMOVEDIR : 0) == 0 ? 0 : errno;
  }

  int UnlinkGit(const Location& at, bool is_folder) {
    struct stat facts {};
    if (::fstatat(at.folder.get(), at.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    if (is_folder && !S_ISDIR(facts.st_mode)) return ENOTDIR;
    if (!is_folder && S_ISDIR(facts.st_mode)) return EISDIR;
    return KeepGit(supervision_, at);
  }

  // RENAME_NOREPLACE and RENAME_EXCHANGE (linux/fs.h)
  static constexpr int kRenameNoReplace = 1;
  static constexpr int kRenameExchange = 2;

  const SupervisedCaller& caller_;
  Supervision& supervision_;
  const CallArguments arguments_;
  std::string last_path_;
};

}  // namespace

void AnswerCall(const SupervisedCaller& caller) {
  if (IsForeign(caller.call())) return AnswerForeign(caller);
  const CallShape* shape = ShapeOf(caller.number());
  if (shape == nullptr) return caller.ReturnError(ENOSYS);
  if (const int code = FindRules(caller)) return caller.ReturnError(code);
  Call(caller, *shape).Answer();
}

}  // namespace ringfence
