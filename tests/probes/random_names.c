// Creates, moves, changes and reads random names, from several processes and threads at once:
//
//   random_names SECONDS SEED [--no-moves] FOLDER...
//
// It starts in one of the FOLDERs, which are absolute. tests/system/run/test_random_names.py runs
// it in a sandbox and then checks the names outside. Everything that it writes contains kWritten;
// if it reads kSecret it prints a line "leak <tab> CALL <tab> PATH". With --no-moves no directory
// is moved. The last line lists each call with the numbers of attempts and successes.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static const char kWritten[] = "[core]\n\tfsmonitor = written-inside\n";
static const char kSecret[] = "SECRET-7f3a";
enum { kProcesses = 2, kThreads = 2, kOpened = 12, kPath = 4096 };

static const char* const kNames[] = {"a",
                                     "b",
                                     "c",
                                     "sub",
                                     "src",
                                     "docs",
                                     "adr",
                                     "1.md",
                                     "conf",
                                     "key.pem",
                                     ".git",
                                     ".git",
                                     ".git",
                                     "config",
                                     "hooks",
                                     "info",
                                     "attributes",
                                     "pre-commit",
                                     "commondir",
                                     "HEAD",
                                     "objects",
                                     "refs",
                                     "config.lock",
                                     ".github",
                                     "workflows",
                                     "ci.yml",
                                     ".vscode",
                                     "tasks.json",
                                     ".claude",
                                     ".claude",
                                     "settings.json",
                                     "settings.local.json",
                                     "commands",
                                     "x.md",
                                     ".mcp.json",
                                     ".envrc",
                                     ".env",
                                     "..",
                                     "..",
                                     ".",
                                     "letter.txt",
                                     "out",
                                     "shared",
                                     "locked",
                                     "link",
                                     ".ssh",
                                     "id_ed25519",
                                     ".bashrc",
                                     ".config",
                                     "ringfence",
                                     "policy.json",
                                     ".ringfence",
                                     "modules",
                                     "m",
                                     ".GIT",
                                     "Hooks",
                                     ".Claude",
                                     "DOCS",
                                     "worktrees",
                                     "file"};
enum { kNameCount = sizeof(kNames) / sizeof(kNames[0]) };
// Names that the rules cover; random choice picks them too rarely.
static const char* const kTails[] = {".git",
                                     ".git/hooks",
                                     ".git/hooks/pre-commit",
                                     ".git/config",
                                     ".git/config.lock",
                                     ".git/commondir",
                                     ".git/info/attributes",
                                     ".github",
                                     ".github/workflows",
                                     ".github/workflows/ci.yml",
                                     ".github/.git",
                                     ".vscode",
                                     ".vscode/tasks.json",
                                     ".envrc",
                                     ".claude/settings.json",
                                     "docs/adr/1.md",
                                     "locked/letter.txt",
                                     "conf/key.pem"};
enum { kTailCount = sizeof(kTails) / sizeof(kTails[0]) };

static char** folders;
static int folder_count;
static int moves_folders = 1;
static time_t end_time;

// --- randomness ---------------------------------------------------------------------------------

typedef struct {
  uint64_t state;
  int opened[kOpened];
  char path[2][kPath];
} Dice;

static uint32_t Next(Dice* dice) {  // splitmix64
  uint64_t z = dice->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)((z ^ (z >> 31)) >> 16);
}

static uint32_t Below(Dice* dice, uint32_t most) { return Next(dice) % most; }
static int OneIn(Dice* dice, uint32_t n) { return Below(dice, n) == 0; }
static int Opened(Dice* dice) { return dice->opened[Below(dice, kOpened)]; }

// A path from one of the directories, from a descriptor or from the current directory; `which` is 0
// or 1, for calls with two paths.
static const char* PathOf(Dice* dice, int which) {
  char* path = dice->path[which];
  const char* folder = folders[Below(dice, (uint32_t)folder_count)];
  size_t length = 0;
  switch (Below(dice, 12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      length = (size_t)snprintf(path, kPath, "%s/", folder);
      break;
    case 4:
      length = (size_t)snprintf(path, kPath, "/proc/self/root%s/", folder);
      break;
    case 5:
      length = (size_t)snprintf(path, kPath, "/proc/self/cwd/");
      break;
    case 6:
      length = (size_t)snprintf(path, kPath, "/proc/self/fd/%d/", Opened(dice));
      break;
    case 7:
      length = (size_t)snprintf(path, kPath, "/proc/thread-self/fd/%d", Opened(dice));
      if (OneIn(dice, 2)) return path;
      path[length++] = '/';
      break;
    default:
      break;
  }
  const int components = 1 + (int)Below(dice, 3);
  for (int i = 0; i < components; ++i) {
    const char* name = kNames[Below(dice, kNameCount)];
    const char* between =
        i + 1 == components ? (OneIn(dice, 16) ? "/" : "") : (OneIn(dice, 16) ? "//" : "/");
    length += (size_t)snprintf(path + length, kPath - length, "%s%s", name, between);
  }
  path[length] = 0;
  return path;
}

static int FolderFd(Dice* dice) { return OneIn(dice, 3) ? Opened(dice) : AT_FDCWD; }

// --- calls --------------------------------------------------------------------------------------

static void Keep(Dice* dice, int fd) {
  if (fd < 0) return;
  int* place = &dice->opened[Below(dice, kOpened)];
  close(*place);
  *place = fd;
}

static void LookFor(const char* call, const char* path, const char* bytes, ssize_t length) {
  if (length <= 0 || memmem(bytes, (size_t)length, kSecret, sizeof(kSecret) - 1) == NULL) return;
  printf("leak\t%s\t%s\n", call, path);
  fflush(stdout);
}

static void Look(const char* call, const char* path, int fd) {
  char bytes[512];
  LookFor(call, path, bytes, pread(fd, bytes, sizeof(bytes), 0));
}

static int OpenFlags(Dice* dice) {
  static const int kModes[] = {O_RDONLY,
                               O_WRONLY,
                               O_RDWR,
                               O_WRONLY | O_CREAT,
                               O_RDWR | O_CREAT,
                               O_PATH,
                               O_RDONLY | O_DIRECTORY,
                               O_RDWR | O_TMPFILE};
  static const int kMore[] = {0, 0, 0, O_TRUNC, O_EXCL, O_APPEND, O_NOFOLLOW, O_NONBLOCK};
  return kModes[Below(dice, 8)] | kMore[Below(dice, 8)] | O_CLOEXEC | O_NONBLOCK;
}

static long Open(Dice* dice) {
  const char* path = PathOf(dice, 0);
  const int fd = openat(FolderFd(dice), path, OpenFlags(dice), 0644);
  if (fd < 0) return -1;
  Look("open", path, fd);
  if (write(fd, kWritten, sizeof(kWritten) - 1) < 0 && errno == EPIPE) errno = 0;
  Keep(dice, fd);
  return 0;
}

struct OpenHow {
  uint64_t flags, mode, resolve;
};

static long Open2(Dice* dice) {
  const int flags = OpenFlags(dice);
  static const uint64_t kResolve[] = {0, 0, 0x01, 0x02, 0x04, 0x08, 0x10};
  struct OpenHow how = {(uint64_t)flags, (flags & (O_CREAT | 020000000)) != 0 ? 0644 : 0,
                        kResolve[Below(dice, 7)]};
  const char* path = PathOf(dice, 0);
  const long fd = syscall(SYS_openat2, FolderFd(dice), path, &how, sizeof(how));
  if (fd < 0) return -1;
  Look("openat2", path, (int)fd);
  Keep(dice, (int)fd);
  return 0;
}

static long Mkdir(Dice* dice) { return mkdirat(FolderFd(dice), PathOf(dice, 0), 0755); }

static long Mknod(Dice* dice) {
  static const mode_t kKinds[] = {S_IFREG, S_IFIFO, S_IFSOCK, S_IFCHR};
  return mknodat(FolderFd(dice), PathOf(dice, 0), kKinds[Below(dice, 4)] | 0644, 0);
}

static long Symlink(Dice* dice) {
  return symlinkat(PathOf(dice, 1), FolderFd(dice), PathOf(dice, 0));
}

static long Link(Dice* dice) {
  static const int kFlags[] = {0, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH};
  const int flags = kFlags[Below(dice, 3)];
  const char* from = flags == AT_EMPTY_PATH ? "" : PathOf(dice, 0);
  return linkat(FolderFd(dice), from, FolderFd(dice), PathOf(dice, 1), flags);
}

// Directories are moved only without --no-moves: the sandbox does not refuse these moves, and the
// oracle knows about them only from that option. The answer can be outdated a moment later.
static int IsFolder(const char* path, int folder) {
  struct stat facts;
  return fstatat(folder, path, &facts, 0) == 0 && S_ISDIR(facts.st_mode);
}

static long Rename(Dice* dice) {
  static const unsigned kFlags[] = {0, 0, 0, 1, 2};  // NOREPLACE, EXCHANGE
  const unsigned flags = kFlags[Below(dice, 5)];
  const char *from = PathOf(dice, 0), *to = PathOf(dice, 1);
  const int from_folder = FolderFd(dice), to_folder = FolderFd(dice);
  if (!moves_folders) {
    // Checks what the call would move: a link itself, but a directory if the name ends in a slash.
    char held[64];
    const int fd = openat(from_folder, from, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    snprintf(held, sizeof(held), "/proc/self/fd/%d", fd);
    const int is_folder = IsFolder(held, AT_FDCWD);
    close(fd);
    if (is_folder || (flags == 2 && IsFolder(to, to_folder))) return -1;
  }
  return syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

static long Unlink(Dice* dice) {
  return unlinkat(FolderFd(dice), PathOf(dice, 0), OneIn(dice, 2) ? AT_REMOVEDIR : 0);
}

static long Truncate(Dice* dice) {
  if (OneIn(dice, 2)) return ftruncate(Opened(dice), Below(dice, 100));
  return truncate(PathOf(dice, 0), Below(dice, 100));
}

static long Chmod(Dice* dice) {
  // The oracle must be able to read everything.
  static const mode_t kModes[] = {0700, 0755, 0777, 04755, 02755, 01777};
  const mode_t mode = kModes[Below(dice, 6)];
  switch (Below(dice, 3)) {
    case 0:
      return fchmod(Opened(dice), mode);
    case 1:
      return syscall(452, FolderFd(dice), PathOf(dice, 0), mode, OneIn(dice, 2) ? 0x100 : 0);
    default:
      return fchmodat(FolderFd(dice), PathOf(dice, 0), mode, 0);
  }
}

static long Chown(Dice* dice) {
  const int folder = FolderFd(dice);
  if (OneIn(dice, 3)) return fchown(Opened(dice), getuid(), getgid());
  return fchownat(folder, PathOf(dice, 0), getuid(), getgid(), OneIn(dice, 2) ? 0x100 : 0);
}

static long Times(Dice* dice) {
  const struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
  const int folder = FolderFd(dice);
  if (OneIn(dice, 3)) return futimens(Opened(dice), old);
  return utimensat(folder, PathOf(dice, 0), old, OneIn(dice, 2) ? 0x100 : 0);
}

static long Attribute(Dice* dice) {
  switch (Below(dice, 4)) {
    case 0:
      return fsetxattr(Opened(dice), "user.x", "1", 1, 0);
    case 1:
      return lsetxattr(PathOf(dice, 0), "user.x", "1", 1, 0);
    case 2:
      return removexattr(PathOf(dice, 0), "user.was");
    default:
      return setxattr(PathOf(dice, 0), "user.x", "1", 1, 0);
  }
}

// Binds a socket to a name.
static long Bind(Dice* dice) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char* path = PathOf(dice, 0);
  if (strlen(path) >= sizeof(address.sun_path)) return -1;
  strcpy(address.sun_path, path);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int bound = bind(fd, (struct sockaddr*)&address, sizeof(address));
  close(fd);
  return bound;
}

static long Write(Dice* dice) { return pwrite(Opened(dice), kWritten, sizeof(kWritten) - 1, 0); }

static long Copy(Dice* dice) {
  const int from = Opened(dice), to = Opened(dice);
  off_t start = 0;
  if (OneIn(dice, 2)) return sendfile(to, from, &start, 4096);
  return copy_file_range(from, &start, to, NULL, 4096, 0);
}

static long Map(Dice* dice) {
  const int fd = Opened(dice);
  struct stat facts;
  if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size < 1) return -1;
  char* bytes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED) return -1;
  // Another process may have truncated the file: a fault inside a system call is only an error.
  char copy[64];
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
    const ssize_t length = write(ends[1], bytes, sizeof(copy));
    if (length > 0) LookFor("mmap", "-", copy, read(ends[0], copy, sizeof(copy)));
    if (write(ends[1], kWritten, 32) == 32) {
      const ssize_t written = read(ends[0], bytes, 32);
      if (written < 0) errno = 0;
    }
    close(ends[0]);
    close(ends[1]);
  }
  return munmap(bytes, 4096);
}

static long Chdir(Dice* dice) {
  if (OneIn(dice, 4)) return chdir(folders[0]);
  return OneIn(dice, 2) ? fchdir(Opened(dice)) : chdir(PathOf(dice, 0));
}

static long ReadLink(Dice* dice) {
  char bytes[512];
  const char* path = PathOf(dice, 0);
  const ssize_t length = readlinkat(FolderFd(dice), path, bytes, sizeof(bytes));
  LookFor("readlink", path, bytes, length);
  return length;
}

typedef struct {
  const char* name;
  long (*call)(Dice*);
  uint32_t weight;
} Call;

static const Call kCalls[] = {
    {"open", Open, 8},        {"openat2", Open2, 3},   {"mkdir", Mkdir, 6},
    {"mknod", Mknod, 2},      {"symlink", Symlink, 2}, {"link", Link, 4},
    {"rename", Rename, 7},    {"unlink", Unlink, 4},   {"truncate", Truncate, 1},
    {"chmod", Chmod, 2},      {"chown", Chown, 1},     {"times", Times, 1},
    {"xattr", Attribute, 2},  {"bind", Bind, 1},       {"write", Write, 2},
    {"copy", Copy, 2},        {"mmap", Map, 1},        {"chdir", Chdir, 2},
    {"readlink", ReadLink, 1}};
enum { kCallCount = sizeof(kCalls) / sizeof(kCalls[0]) };

typedef struct {
  atomic_ulong tried[kCallCount], done[kCallCount];
} Counts;
static Counts* counts;  // shared by all processes

static void* Work(void* seed) {
  static _Thread_local Dice dice;
  dice.state = *(uint64_t*)seed;
  for (int i = 0; i < kOpened; ++i) dice.opened[i] = -1;
  uint32_t all = 0;
  for (int i = 0; i < kCallCount; ++i) all += kCalls[i].weight;
  while (time(NULL) < end_time) {
    uint32_t chosen = Below(&dice, all);
    int i = 0;
    while (chosen >= kCalls[i].weight) chosen -= kCalls[i++].weight;
    atomic_fetch_add(&counts->tried[i], 1);
    if (kCalls[i].call(&dice) >= 0) atomic_fetch_add(&counts->done[i], 1);
  }
  return NULL;
}

static int RunProcess(uint64_t seed) {
  signal(SIGPIPE, SIG_IGN);
  pthread_t threads[kThreads];
  uint64_t seeds[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    seeds[i] = seed * 1000003 + (uint64_t)i;
    if (pthread_create(&threads[i], NULL, Work, &seeds[i]) != 0) return 1;
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int seconds = atoi(argv[1]);
  const uint64_t seed = strtoull(argv[2], NULL, 10);
  folders = argv + 3;
  folder_count = argc - 3;
  if (strcmp(folders[0], "--no-moves") == 0) {
    moves_folders = 0;
    ++folders;
    --folder_count;
  }
  counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (counts == MAP_FAILED || folder_count < 1) return 2;
  end_time = time(NULL) + seconds;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) _exit(RunProcess(seed * kProcesses + (uint64_t)i));
  }
  int status = 0, worst = 0;
  while (wait(&status) > 0) worst |= status;
  for (int i = 0; i < kCallCount; ++i) {
    printf("%s\t%lu\t%lu\n", kCalls[i].name, counts->tried[i], counts->done[i]);
  }
  return worst != 0;
}
