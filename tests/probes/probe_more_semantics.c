// Names in the project are created exactly as without a sandbox: flags, rights, errors, numbers.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "escape_probe.h"
#include "kernel_abi.h"

// --- flags --------------------------------------------------------------------------------------

// Creates a file, a directory with a file in it, a dangling link, and a link to the file.
static int Prepare(void) {
  return PutMark("file", O_CREAT) != 0 || mkdir("folder", 0755) != 0 ||
                 PutMark("folder/file", O_CREAT) != 0 || mkdir("other", 0755) != 0 ||
                 PutMark("other/file", O_CREAT) != 0 || symlink("nowhere", "dangling") != 0 ||
                 symlink("file", "link") != 0
             ? -1
             : 0;
}

static Verdict Appends(void) {
  const int one = open("appended", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const int two = open("appended", O_WRONLY | O_APPEND | O_CLOEXEC);
  if (one < 0 || two < 0) return Broken("open(O_APPEND)");
  if (write(one, "a", 1) != 1 || write(two, "b", 1) != 1 || write(one, "c", 1) != 1) {
    return Broken("write");
  }
  return Holds("appended", "abc") == 1 ? Works() : BrokenAs("O_APPEND: overwritten");
}

static Verdict ClosesOnExec(void) {
  const int with = open("cloexec", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  const int without = open("cloexec", O_WRONLY | O_CREAT, 0644);
  if (fcntl(with, F_GETFD) != FD_CLOEXEC) return BrokenAs("O_CLOEXEC: not set");
  if (fcntl(without, F_GETFD) != 0) return BrokenAs("O_CLOEXEC: set without being asked");
  return Works();
}

// The descriptor has the requested flags, and no others.
static Verdict KeepsStatus(void) {
  const int kAsked = O_WRONLY | O_APPEND | O_NONBLOCK;
  const int file = open("status", kAsked | O_CREAT, 0644);
  if (file < 0) return Broken("open(O_APPEND|O_NONBLOCK|O_CREAT)");
  const int kLooked = O_ACCMODE | O_APPEND | O_NONBLOCK | O_SYNC | O_DIRECT;
  if ((fcntl(file, F_GETFL) & kLooked) != kAsked) return BrokenAs("F_GETFL: other flags");
  char byte = 0;
  if (read(file, &byte, 1) >= 0 || errno != EBADF) return Broken("read of O_WRONLY, not EBADF");
  return Works();
}

static Verdict Truncates(void) {
  if (PutMark("truncated", O_CREAT) != 0) return Broken("open(O_CREAT)");
  const int file = open("truncated", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  struct stat about;
  if (file < 0 || fstat(file, &about) != 0) return Broken("open(O_TRUNC)");
  return about.st_size == 0 ? Works() : BrokenAs("O_TRUNC: not empty");
}

static Verdict MakesNameless(const char* folder) {
  const int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0640);
  if (file < 0) return errno == EOPNOTSUPP ? Works() : Broken("open(O_TMPFILE)");
  struct stat about;
  if (fstat(file, &about) != 0) return Broken("fstat(O_TMPFILE)");
  close(file);
  const mode_t mode = about.st_mode & 07777;
  return mode == 0640 ? Works() : BrokenAs("O_TMPFILE in %s: mode %o", folder, mode);
}

// The current directory, through a descriptor of it.
static const char* OwnFolder(void) {
  static char name[40];
  snprintf(name, sizeof(name), "/proc/self/fd/%d", open(".", O_PATH | O_CLOEXEC));
  return name;
}

static Verdict OpenFlags(void) {
  static Verdict (*const kChecks[])(void) = {Appends, ClosesOnExec, KeepsStatus, Truncates};
  for (size_t i = 0; i < sizeof(kChecks) / sizeof(kChecks[0]); ++i) {
    if (kChecks[i]() != kWorks) return kBroken;
  }
  // A file created without write permission may still be written through this descriptor.
  const int file = open("read-only", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
  if (file < 0 || write(file, kMark, 8) != 8) return Broken("open(O_CREAT) with 0444, write");
  // Opening a dangling link creates the file at the link's target.
  if (Prepare() != 0) return Broken("open, mkdir, symlink");
  if (PutMark("dangling", O_CREAT) != 0 || !Exists("nowhere")) return Broken("open of a link");
  return MakesNameless(".") == kWorks ? MakesNameless(OwnFolder()) : kBroken;
}

// --- errors -------------------------------------------------------------------------------------

typedef struct {
  const char* path;
  int flags;
  int error;
} OpenCase;

static char long_name[NAME_MAX + 2];

static const OpenCase kOpenCases[] = {
    {"file", O_WRONLY | O_CREAT | O_EXCL, EEXIST},
    {"dangling", O_WRONLY | O_CREAT | O_EXCL, EEXIST},
    {"folder", O_WRONLY | O_CREAT | O_EXCL, EEXIST},
    {"link", O_WRONLY | O_CREAT | O_NOFOLLOW, ELOOP},
    {"dangling", O_WRONLY | O_CREAT | O_NOFOLLOW, ELOOP},
    {"file", O_RDONLY | O_DIRECTORY, ENOTDIR},
    {"folder", O_WRONLY, EISDIR},
    {"folder", O_RDWR | O_CREAT, EISDIR},
    {"new/", O_WRONLY | O_CREAT, EISDIR},
    {"file/x", O_WRONLY | O_CREAT, ENOTDIR},
    {"missing/x", O_WRONLY | O_CREAT, ENOENT},
    {"missing", O_WRONLY, ENOENT},
    {"dangling/x", O_WRONLY | O_CREAT, ENOENT},
    {"", O_WRONLY | O_CREAT, ENOENT},
    {long_name, O_WRONLY | O_CREAT, ENAMETOOLONG},
    {"loop", O_WRONLY | O_CREAT, ELOOP},
};

static Verdict OpenErrors(void) {
  memset(long_name, 'n', NAME_MAX + 1);
  if (symlink("loop", "loop") != 0) return Broken("symlink");
  for (size_t i = 0; i < sizeof(kOpenCases) / sizeof(kOpenCases[0]); ++i) {
    const OpenCase* row = &kOpenCases[i];
    if (open(row->path, row->flags | O_CLOEXEC, 0644) >= 0 || errno != row->error) {
      return BrokenAs("open case %zu, %.20s: %s instead of %s", i, row->path,
                      strerrorname_np(errno), strerrorname_np(row->error));
    }
  }
  if (openat(999, "x", O_WRONLY | O_CREAT, 0644) >= 0 || errno != EBADF) return Broken("not EBADF");
  const int file = open("file", O_RDONLY | O_CLOEXEC);
  if (openat(file, "x", O_WRONLY | O_CREAT, 0644) >= 0 || errno != ENOTDIR) {
    return Broken("openat of a file, instead of ENOTDIR");
  }
  if (syscall(SYS_openat, AT_FDCWD, (void*)1, O_WRONLY | O_CREAT, 0644) >= 0 || errno != EFAULT) {
    return Broken("openat(bad address), instead of EFAULT");
  }
  return Works();
}

#define FAILS(call, wanted)                                                             \
  do {                                                                                  \
    errno = 0;                                                                          \
    if ((call) != -1 || errno != (wanted)) return Broken(#call " instead of " #wanted); \
  } while (0)

static Verdict NameErrors(void) {
  FAILS(mkdir("file", 0755), EEXIST);
  FAILS(mkdir("dangling", 0755), EEXIST);
  FAILS(mkdir("missing/x", 0755), ENOENT);
  FAILS(mkdir("file/x", 0755), ENOTDIR);
  FAILS(rename("missing", "x"), ENOENT);
  FAILS(rename("file", "missing/x"), ENOENT);
  FAILS(rename("folder", "other"), ENOTEMPTY);
  FAILS(rename("file", "folder"), EISDIR);
  FAILS(rename("folder", "file"), ENOTDIR);
  FAILS(rename("folder", "folder/x"), EINVAL);
  FAILS(renameat2(AT_FDCWD, "file", AT_FDCWD, "link", RENAME_NOREPLACE), EEXIST);
  FAILS(renameat2(AT_FDCWD, "file", AT_FDCWD, "x", RENAME_EXCHANGE), ENOENT);
  FAILS(renameat2(AT_FDCWD, "file", AT_FDCWD, "x", 1U << 20), EINVAL);
  FAILS(link("missing", "x"), ENOENT);
  FAILS(link("file", "link"), EEXIST);
  FAILS(link("folder", "x"), EPERM);
  FAILS(symlink("x", "file"), EEXIST);
  FAILS(symlink("", "x"), ENOENT);
  FAILS(unlink("folder"), EISDIR);
  FAILS(unlink("missing"), ENOENT);
  FAILS(rmdir("folder"), ENOTEMPTY);
  FAILS(rmdir("file"), ENOTDIR);
  FAILS(mkfifo("file", 0600), EEXIST);
  FAILS(chmod("missing", 0600), ENOENT);
  FAILS(truncate("missing", 0), ENOENT);
  FAILS(truncate("folder", 0), EISDIR);
  if (getuid() == 0) return Works();
  if (chmod("folder", 0555) != 0) return Broken("chmod");
  FAILS(open("folder/x", O_WRONLY | O_CREAT, 0644), EACCES);
  FAILS(mkdir("folder/x", 0755), EACCES);
  FAILS(rename("file", "folder/x"), EACCES);
  return chmod("folder", 0755) == 0 ? Works() : Broken("chmod");
}

static Verdict Errors(void) {
  if (Prepare() != 0) return Broken("open, mkdir, symlink");
  return OpenErrors() == kWorks ? NameErrors() : kBroken;
}

// --- numbers and rights -------------------------------------------------------------------------

// Shells rely on this: after close and open, the descriptor has the same number.
static Verdict LowestFd(void) {
  if (close(0) != 0) return Broken("close");
  if (open("file", O_RDWR | O_CREAT, 0644) != 0) return BrokenAs("open(O_CREAT): not 0");
  const int limit = 40;
  const struct rlimit few = {(rlim_t)limit, (rlim_t)limit};
  if (setrlimit(RLIMIT_NOFILE, &few) != 0) return Broken("setrlimit");
  int last = 0;
  for (int file = 0; (file = open("file", O_RDWR | O_CREAT, 0644)) >= 0;) last = file;
  if (errno != EMFILE) return Broken("open(O_CREAT), instead of EMFILE");
  return last == limit - 1 ? Works() : BrokenAs("open: the last is %d, not %d", last, limit - 1);
}

static int HasRights(const char* name, mode_t rights) {
  struct stat about;
  return lstat(name, &about) == 0 && (about.st_mode & 07777) == rights &&
         about.st_uid == geteuid() && about.st_gid == getegid();
}

static Verdict Umask(void) {
  umask(027);
  const int file = open("rights", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || mkdir("rights-folder", 0777) != 0) return Broken("open, mkdir");
  if (mkfifo("rights-fifo", 0666) != 0) return Broken("mkfifo");
  if (!HasRights("rights", 0640)) return BrokenAs("open(O_CREAT): other rights or owner");
  if (!HasRights("rights-folder", 0750)) return BrokenAs("mkdir: other rights or owner");
  if (!HasRights("rights-fifo", 0640)) return BrokenAs("mkfifo: other rights or owner");
  umask(0);
  if (mkdir("all-folder", 0777) != 0 || PutMark("all", O_CREAT) != 0) return Broken("open, mkdir");
  if (!HasRights("all-folder", 0777)) return BrokenAs("mkdir: other rights or owner");
  if (!HasRights("all", 0755)) return BrokenAs("open(O_CREAT): other rights or owner");
  return Works();
}

static Verdict DanglingLink(void) {
  char target[20] = "";
  if (symlink("no/where", "dangling") != 0) return Broken("symlink");
  if (readlink("dangling", target, sizeof(target) - 1) != 8) return Broken("readlink");
  if (strcmp(target, "no/where") != 0) return BrokenAs("symlink: leads to %s", target);
  if (rename("dangling", "renamed") != 0) return Broken("rename");
  // A target outside the sandbox: the text does not matter until the link is followed.
  return symlink("/nonexistent/x", "absolute") == 0 ? Works() : Broken("symlink, absolute");
}

static Verdict LongPath(void) {
  static char path[PATH_MAX];
  memset(path, '/', sizeof(path) - 1);
  path[0] = '.';
  memcpy(path + sizeof(path) - sizeof("file"), "file", sizeof("file"));
  if (PutMark(path, O_CREAT | O_EXCL) != 0) return Broken("open(O_CREAT), 4095 bytes");
  static char longer[PATH_MAX + 8];
  memset(longer, '/', sizeof(longer) - 1);
  longer[0] = '.';
  if (mkdir(longer, 0755) == 0 || errno != ENAMETOOLONG) return Broken("mkdir, not ENAMETOOLONG");
  char* pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || munmap(pages + 4096, 4096) != 0) return Broken("mmap");
  memcpy(pages + 4096 - sizeof("page"), "page", sizeof("page"));
  return mkdir(pages + 4096 - sizeof("page"), 0755) == 0 ? Works()
                                                         : Broken("mkdir at a page's end");
}

// --- ordinary work on a repository --------------------------------------------------------------

// Writes the files of a `git commit`; none of them runs code.
static Verdict CommitIn(const char* repository) {
  if (chdir(repository) != 0) return Broken("chdir");
  if (PutMark("index.lock", O_CREAT | O_EXCL) != 0) return Broken("open(.git/index.lock)");
  if (rename("index.lock", "index") != 0) return Broken("rename to .git/index");
  if (mkdir("objects/ab", 0755) != 0) return Broken("mkdir below .git/objects");
  if (PutMark("objects/ab/tmp", O_CREAT | O_EXCL) != 0) return Broken("open below .git/objects");
  if (link("objects/ab/tmp", "objects/ab/cd") != 0) return Broken("link below .git/objects");
  if (unlink("objects/ab/tmp") != 0) return Broken("unlink below .git/objects");
  if (PutMark("refs/heads/topic.lock", O_CREAT | O_EXCL) != 0) return Broken("open(.git/refs)");
  if (rename("refs/heads/topic.lock", "refs/heads/topic") != 0) return Broken("rename(.git/refs)");
  if (PutMark("HEAD.lock", O_CREAT | O_EXCL) != 0) return Broken("open(.git/HEAD.lock)");
  return rename("HEAD.lock", "HEAD") == 0 ? Works() : Broken("rename to .git/HEAD");
}

static Verdict GitCommit(void) { return CommitIn(".git"); }
static Verdict GitCommitSub(void) { return CommitIn("sub/.git"); }

// Names that only begin or end like protected ones.
static Verdict SimilarNames(void) {
  static const char* const kNames[] = {".gitignore",    ".gitattributes", "x.mcp.json",
                                       ".envrc.sample", ".mcp.jsonx",     "git/config",
                                       "hooks/x"};
  if (mkdir("git", 0755) != 0 || mkdir("hooks", 0755) != 0) return Broken("mkdir");
  for (size_t i = 0; i < sizeof(kNames) / sizeof(kNames[0]); ++i) {
    if (PutMark(kNames[i], O_CREAT) != 0) return Broken(kNames[i]);
  }
  return Works();
}

// clang-format off
static const Row kMoreSemantics[] = {
    {"fn-x-open-flags", OpenFlags},
    {"fn-x-errors", Errors},
    {"fn-x-lowest-fd", LowestFd},
    {"fn-x-umask", Umask},
    {"fn-x-dangling-link", DanglingLink},
    {"fn-x-long-path", LongPath},
    {"fn-x-git-commit", GitCommit},
    {"fn-x-git-commit-sub", GitCommitSub},
    {"fn-x-similar-names", SimilarNames},
};
// clang-format on
const RowTable kMoreSemanticsRows = TABLE(kMoreSemantics);
