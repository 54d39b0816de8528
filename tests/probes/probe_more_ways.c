// One protected name, sub/.git/hooks/pre-commit (or sub/.git/config, if an existing file is
// needed), spelt in other ways: other paths, other starting directories, other calls, other
// threads. A check of a call's arguments must see through all of them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escape_probe.h"
#include "kernel_abi.h"

static const char kHook[] = "sub/.git/hooks/pre-commit";
static const char kConfig[] = "sub/.git/config";

// `file` is a descriptor, -1 with errno, or a negative error code as the kernel returns it.
static Verdict Result(const char* call, long file) {
  if (file < 0) {
    if (file < -1) errno = (int)-file;
    return Stopped(call);
  }
  return Tried(call, write((int)file, kMark, 8));
}

// --- paths --------------------------------------------------------------------------------------

// On a case-sensitive file system this is another, harmless name.
static Verdict Case(void) {
  if (!Exists("sub/.GIT")) return Skipped("the file system tells letter cases apart");
  return Create("sub/.GIT/hooks/pre-commit");
}

static Verdict PathDots(void) {
  if (MakeFolder("sub/plain") != 0) return Stopped("mkdir in the project");
  return Create("./sub//plain/../.git/./objects/../hooks/pre-commit");
}

static Verdict PathSlash(void) { return Tried("mkdir", mkdir("plain/.husky///", 0755)); }

static Verdict PathAbsolute(void) { return Create(In("project", kHook)); }

static Verdict PathLong(void) {
  static char path[4096];
  const size_t begin = sizeof(path) - sizeof(kHook);
  for (size_t i = 0; i < begin; ++i) path[i] = i % 2 == begin % 2 ? '.' : '/';
  if (path[0] == '/') path[0] = '.';
  memcpy(path + begin, kHook, sizeof(kHook));
  return Create(path);
}

// The text ends where readable memory ends.
static Verdict PathPageEnd(void) {
  char* pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || munmap(pages + 4096, 4096) != 0) return Stopped("mmap");
  char* path = pages + 4096 - sizeof(kHook);
  memcpy(path, kHook, sizeof(kHook));
  return Create(path);
}

static Verdict PathProcCwd(void) { return Create("/proc/self/cwd/sub/.git/hooks/pre-commit"); }

static Verdict PathProcRoot(void) {
  char path[600];
  snprintf(path, sizeof(path), "/proc/self/root%s", In("project", kHook));
  return Create(path);
}

// --- links --------------------------------------------------------------------------------------

static Verdict LinkParent(void) {
  if (symlink("sub/.git", "l") != 0) return Stopped("symlink in the project");
  return Create("l/hooks/pre-commit");
}

static Verdict LinkDangling(void) {
  if (symlink(kHook, "l") != 0) return Stopped("symlink in the project");
  return Create("l");
}

static Verdict LinkToConfig(void) {
  if (symlink(kConfig, "l") != 0) return Stopped("symlink in the project");
  return Append("l");
}

// The host created both links: to the hooks directory, and to a hook that does not exist.
static Verdict LinkOldParent(void) { return Create("old-hooks-link/pre-commit"); }
static Verdict LinkOldDangling(void) { return Create("old-hook-link"); }

static Verdict LinkOldRename(void) {
  if (PutMark("ordinary", O_CREAT) != 0) return Stopped("open in the project");
  return Tried("rename", rename("ordinary", "old-hooks-link/pre-commit"));
}

// Moving the link changes the target of its relative text.
static Verdict LinkOldMoved(void) {
  if (rename("old-hooks-link", "deep/l") != 0) return Stopped("rename");
  return Create("deep/l/pre-commit");
}

// --- starting directories -----------------------------------------------------------------------

static Verdict CreateAt(const char* folder, const char* name) {
  const int begin = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (begin < 0) return Stopped("open(O_PATH)");
  return Tried("openat(O_CREAT), write", PutMarkAt(begin, name, O_CREAT));
}

static Verdict DirfdGit(void) { return CreateAt("sub/.git", "hooks/pre-commit"); }
static Verdict DirfdHooks(void) { return CreateAt("sub/.git/hooks", "pre-commit"); }
static Verdict DirfdDotdot(void) { return CreateAt("sub/.git/objects", "../hooks/pre-commit"); }

static Verdict DirfdProc(void) {
  const int begin = open("sub/.git/hooks", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (begin < 0) return Stopped("open(O_PATH)");
  char path[60];
  snprintf(path, sizeof(path), "/proc/self/fd/%d/pre-commit", begin);
  return Create(path);
}

static Verdict DirfdRename(void) {
  if (PutMark("ordinary", O_CREAT) != 0) return Stopped("open in the project");
  const int begin = open("sub/.git/hooks", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (begin < 0) return Stopped("open");
  return Tried("renameat", renameat(AT_FDCWD, "ordinary", begin, "pre-commit"));
}

static Verdict ChdirGit(void) {
  if (chdir("sub/.git/hooks") != 0) return Stopped("chdir");
  return Create("pre-commit");
}

// --- a readable file, opened a second time ------------------------------------------------------

static Verdict Reopen(const char* format, int flags) {
  const int file = open(kConfig, flags | O_CLOEXEC);
  if (file < 0) return Stopped("open for reading");
  char path[60];
  snprintf(path, sizeof(path), format, file);
  return Append(path);
}

static Verdict ReopenProc(void) { return Reopen("/proc/self/fd/%d", O_RDONLY); }
static Verdict ReopenThread(void) { return Reopen("/proc/thread-self/fd/%d", O_RDONLY); }
static Verdict ReopenDev(void) { return Reopen("/dev/fd/%d", O_RDONLY); }
static Verdict ReopenPath(void) { return Reopen("/proc/self/fd/%d", O_PATH); }

// /dev/stdin is a link to a link.
static Verdict ReopenStdin(void) {
  const int file = open(kConfig, O_RDONLY);
  if (file < 0 || dup2(file, 0) != 0) return Stopped("open for reading");
  return Append("/dev/stdin");
}

// --- calls --------------------------------------------------------------------------------------

static Verdict Openat2(void) {
  const struct OpenHow how = {.flags = O_WRONLY | O_CREAT | O_CLOEXEC, .mode = 0755};
  return Result("openat2", syscall(SYS_openat2, AT_FDCWD, kHook, &how, sizeof(how)));
}

// An absolute path that starts at the descriptor.
static Verdict Openat2InRoot(void) {
  const int begin = open("sub", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (begin < 0) return Stopped("open(O_PATH)");
  struct OpenHow how = {.flags = O_WRONLY | O_CREAT | O_CLOEXEC, .mode = 0755};
  how.resolve = kResolveInRoot;
  return Result("openat2(RESOLVE_IN_ROOT)",
                syscall(SYS_openat2, begin, "/.git/hooks/pre-commit", &how, sizeof(how)));
}

#if defined(__x86_64__)
static Verdict LegacyOpen(void) {
  return Result("SYS_open", syscall(SYS_open, kHook, O_WRONLY | O_CREAT, 0755));
}

static Verdict LegacyCreat(void) { return Result("SYS_creat", syscall(SYS_creat, kHook, 0755)); }

static Verdict LegacyRename(void) {
  if (PutMark("ordinary", O_CREAT) != 0) return Stopped("open in the project");
  return Tried("SYS_rename", syscall(SYS_rename, "ordinary", kHook));
}

static Verdict X32Creat(void) {
  enum { kX32Bit = 0x40000000 };
  return Result("x32 creat", syscall(kX32Bit + SYS_creat, kHook, 0755));
}

// 32-bit calls take addresses below 4 GiB.
static Verdict Ia32Creat(void) {
  enum { kIa32Creat = 8 };
  char* path =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (path == MAP_FAILED) return Stopped("mmap(MAP_32BIT)");
  strcpy(path, kHook);
  long file = 0;
  __asm__ volatile("int $0x80" : "=a"(file) : "a"(kIa32Creat), "b"(path), "c"(0755) : "memory");
  if (file == -EPERM) errno = EPERM;
  return Result("int 0x80: creat", file);
}
#else
static Verdict OtherMachine(void) { return Skipped("not x86-64"); }
#define LegacyOpen OtherMachine
#define LegacyCreat OtherMachine
#define LegacyRename OtherMachine
#define X32Creat OtherMachine
#define Ia32Creat OtherMachine
#endif

// The kernel opens the file for the ring; there is no system call with this path.
static Verdict IoUringOpenat(void) {
  struct io_uring_params parameters = {0};
  const int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
  if (ring < 0) return Stopped("io_uring_setup");
  const int rights = PROT_READ | PROT_WRITE;
  char* submit = mmap(NULL, 4096, rights, MAP_SHARED, ring, IORING_OFF_SQ_RING);
  char* complete = mmap(NULL, 4096, rights, MAP_SHARED, ring, IORING_OFF_CQ_RING);
  struct io_uring_sqe* entry = mmap(NULL, 4096, rights, MAP_SHARED, ring, IORING_OFF_SQES);
  if (submit == MAP_FAILED || complete == MAP_FAILED || (void*)entry == MAP_FAILED) {
    return Stopped("mmap");
  }
  entry->opcode = IORING_OP_OPENAT;
  entry->fd = AT_FDCWD;
  entry->addr = (uint64_t)(uintptr_t)kHook;
  entry->open_flags = O_WRONLY | O_CREAT;
  entry->len = 0755;
  *(unsigned*)(submit + parameters.sq_off.array) = 0;
  __atomic_store_n((unsigned*)(submit + parameters.sq_off.tail), 1U, __ATOMIC_RELEASE);
  if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1) {
    return Stopped("io_uring_enter");
  }
  const struct io_uring_cqe* done = (void*)(complete + parameters.cq_off.cqes);
  if (done->res == -EPERM) errno = EPERM;
  return Result("io_uring openat", done->res);
}

// --- processes and threads ----------------------------------------------------------------------

static Verdict Vfork(void) {
  static volatile int error;
  const pid_t child = vfork();
  if (child == 0) {
    error = PutMark(kHook, O_CREAT) == 0 ? 0 : errno;
    _exit(0);
  }
  WaitFor(child);
  errno = error;
  return error == 0 ? Open("vfork, open(O_CREAT)") : Stopped("vfork, open(O_CREAT)");
}

static Verdict FromThread(void* (*run)(void*)) {
  pthread_t thread;
  static Verdict verdict;
  errno = pthread_create(&thread, NULL, run, &verdict);
  if (errno != 0) return Stopped("pthread_create");
  pthread_join(thread, NULL);
  return verdict;
}

// The process's current directory differs from this thread's.
static void* InOwnFolder(void* verdict) {
  if (unshare(CLONE_FS) != 0) {
    *(Verdict*)verdict = Stopped("unshare(CLONE_FS)");
  } else if (chdir("sub/.git/hooks") != 0) {
    *(Verdict*)verdict = Stopped("chdir");
  } else {
    *(Verdict*)verdict = Create("pre-commit");
  }
  return NULL;
}

static Verdict ThreadCwd(void) { return FromThread(InOwnFolder); }

// The rest of the process has another directory under this number.
static void* WithOwnFiles(void* verdict) {
  enum { kNumber = 60 };
  const int harmless = open("plain", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const int hooks = open("sub/.git/hooks", O_PATH | O_DIRECTORY | O_CLOEXEC);
  dup2(harmless, kNumber);
  if (unshare(CLONE_FILES) != 0) {
    *(Verdict*)verdict = Stopped("unshare(CLONE_FILES)");
  } else {
    dup2(hooks, kNumber);
    *(Verdict*)verdict = Tried("openat(O_CREAT), write", PutMarkAt(kNumber, "pre-commit", O_CREAT));
  }
  return NULL;
}

static Verdict ThreadFiles(void) { return FromThread(WithOwnFiles); }

// After the first thread has exited, queries about the process id reach a zombie.
static pthread_t first_thread;

static void* AfterTheFirst(void* unused) {
  pthread_join(first_thread, NULL);
  SleepMs(20);
  _exit(PutMark(kHook, O_CREAT) == 0 ? 0 : errno);
  return unused;
}

static Verdict ThreadWithoutFirst(void) {
  const pid_t child = fork();
  if (child == 0) {
    pthread_t thread;
    first_thread = pthread_self();
    if (pthread_create(&thread, NULL, AfterTheFirst, NULL) != 0) _exit(EAGAIN);
    pthread_exit(NULL);
  }
  const int status = WaitFor(child);
  if (!WIFEXITED(status)) return StoppedAs("killed by signal %d", WTERMSIG(status));
  errno = WEXITSTATUS(status);
  return errno == 0 ? Open("open(O_CREAT)") : Stopped("open(O_CREAT)");
}

static const Row kMoreWays[] = {
    {"x-case", Case},
    {"x-path-dots", PathDots},
    {"x-path-slash", PathSlash},
    {"x-path-absolute", PathAbsolute},
    {"x-path-long", PathLong},
    {"x-path-page-end", PathPageEnd},
    {"x-path-proc-cwd", PathProcCwd},
    {"x-path-proc-root", PathProcRoot},
    {"x-link-parent", LinkParent},
    {"x-link-dangling", LinkDangling},
    {"x-link-config", LinkToConfig},
    {"x-link-old-parent", LinkOldParent},
    {"x-link-old-dangling", LinkOldDangling},
    {"x-link-old-rename", LinkOldRename},
    {"x-link-old-moved", LinkOldMoved},
    {"x-dirfd-git", DirfdGit},
    {"x-dirfd-hooks", DirfdHooks},
    {"x-dirfd-dotdot", DirfdDotdot},
    {"x-dirfd-proc", DirfdProc},
    {"x-dirfd-rename", DirfdRename},
    {"x-chdir-git", ChdirGit},
    {"x-reopen-proc", ReopenProc},
    {"x-reopen-thread", ReopenThread},
    {"x-reopen-dev", ReopenDev},
    {"x-reopen-opath", ReopenPath},
    {"x-reopen-stdin", ReopenStdin},
    {"x-openat2", Openat2},
    {"x-openat2-in-root", Openat2InRoot},
    {"x-legacy-open", LegacyOpen},
    {"x-legacy-creat", LegacyCreat},
    {"x-legacy-rename", LegacyRename},
    {"x-x32-creat", X32Creat},
    {"x-ia32-creat", Ia32Creat},
    {"x-io-uring-openat", IoUringOpenat},
    {"x-vfork", Vfork},
    {"x-thread-cwd", ThreadCwd},
    {"x-thread-files", ThreadFiles},
    {"x-thread-without-first", ThreadWithoutFirst},
};
const RowTable kMoreWayRows = TABLE(kMoreWays);
