// Calls with a history of exploits, the kernel's own files, devices, and resource limits of a
// command.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <mntent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escape_probe.h"
#include "kernel_abi.h"

// --- system calls -------------------------------------------------------------------------------

static Verdict BpfMap(void) {
  union bpf_attr attributes = {.map_type = BPF_MAP_TYPE_ARRAY};
  attributes.key_size = attributes.value_size = sizeof(int);
  attributes.max_entries = 1;
  return Tried("bpf(BPF_MAP_CREATE)",
               syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof(attributes)));
}

static Verdict IoUring(void) {
  struct io_uring_params parameters = {0};
  return Tried("io_uring_setup", syscall(SYS_io_uring_setup, 4, &parameters));
}

// Into the session's keyring, where a process outside can find it.
static Verdict AddKey(void) {
  return Tried("add_key", syscall(SYS_add_key, "user", Fixture("key_name"), kMark, 8,
                                  KEY_SPEC_SESSION_KEYRING));
}

static Verdict Userfaultfd(void) {
  return Tried("userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC | kUffdUserModeOnly));
}

// Counts kernel events too.
static Verdict PerfEvent(void) {
  struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attributes)};
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  return Tried("perf_event_open", syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

// A handle opens a file without a path to it.
static Verdict HandleOpen(void) {
  struct {
    struct file_handle head;
    char bytes[MAX_HANDLE_SZ];
  } handle = {.head = {.handle_bytes = MAX_HANDLE_SZ}};
  int mount_id = 0;
  if (name_to_handle_at(AT_FDCWD, Fixture("outside"), &handle.head, &mount_id, 0) != 0) {
    return Stopped("name_to_handle_at");
  }
  const int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return Tried("open_by_handle_at", open_by_handle_at(folder, &handle.head, O_RDONLY));
}

static Verdict MemfdExec(void) {
  const int file = memfd_create("program", 0);
  if (file < 0) return Stopped("memfd_create");
  if (CopySelf(file) != 0) return Stopped("write");
  const pid_t child = fork();
  if (child == 0) {
    char* const argv[] = {"program", "ran", NULL};
    char* const environment[] = {NULL};
    fexecve(file, argv, environment);
    _exit(errno);
  }
  const int status = WaitFor(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 42) return Open("memfd_create, execveat");
  errno = WEXITSTATUS(status);
  return Stopped("execveat");
}

// Writes to memory that this process itself may not write.
static Verdict ProcSelfMemWrite(void) {
  char* page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (memory < 0) return Stopped("open");
  if (pwrite(memory, kMark, 8, (off_t)page) != 8) return Stopped("pwrite");
  return memcmp(page, kMark, 8) == 0 ? Open("pwrite") : StoppedAs("pwrite: without effect");
}

// A filter that checks only the numbers mistakes this for another call.
static Verdict Ia32Syscall(void) {
#if defined(__x86_64__)
  enum { kGetpid = 20 };
  long result = 0;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(kGetpid) : "memory");
  if (result == getpid()) return Open("int 0x80: getpid");
  errno = result < 0 ? (int)-result : EINVAL;
  return Stopped("int 0x80");
#else
  return Skipped("not x86-64");
#endif
}

// --- files of the kernel ------------------------------------------------------------------------

static Verdict Sysrq(void) { return Tried("open", open("/proc/sysrq-trigger", O_WRONLY)); }

static Verdict CorePattern(void) {
  return Tried("open", open("/proc/sys/kernel/core_pattern", O_WRONLY));
}

// Writes the current value.
static Verdict SysctlWrite(void) {
  const int file = open("/proc/sys/vm/overcommit_memory", O_RDWR | O_CLOEXEC);
  if (file < 0) return Stopped("open");
  char value[16];
  const ssize_t length = read(file, value, sizeof(value));
  return Tried("open, write", length < 1 ? -1 : pwrite(file, value, (size_t)length, 0));
}

static Verdict KmsgRead(void) {
  enum { kReadAll = 3 };
  static char text[4096];
  const int file = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file >= 0 && read(file, text, sizeof(text)) > 0) return Open("open(/dev/kmsg), read");
  return Tried("klogctl", klogctl(kReadAll, text, sizeof(text)));
}

static Verdict CgroupMkdir(void) {
  FILE* mounts = setmntent("/proc/self/mounts", "re");
  if (mounts == NULL) return Stopped("open(/proc/self/mounts)");
  int error = ENOENT;
  for (struct mntent* entry = NULL; (entry = getmntent(mounts)) != NULL;) {
    if (strncmp(entry->mnt_type, "cgroup", 6) != 0) continue;
    char path[512];
    snprintf(path, sizeof(path), "%s/escaped-%d", entry->mnt_dir, getpid());
    if (mkdir(path, 0755) == 0) {
      rmdir(path);
      return Open("mkdir(%s)", path);
    }
    error = errno;
  }
  errno = error;
  return Stopped("mkdir");
}

// --- devices ------------------------------------------------------------------------------------

static int IsHarmless(const char* name) {
  static const char* const kHarmless[] = {"null",    "zero", "full", "random",
                                          "urandom", "tty",  "ptmx", "console"};
  for (size_t i = 0; i < sizeof(kHarmless) / sizeof(kHarmless[0]); ++i) {
    if (strcmp(name, kHarmless[i]) == 0) return 1;
  }
  return 0;
}

// Checks if the machine's devices are visible; access rights do not matter.
static Verdict DevNodes(void) {
  DIR* folder = opendir("/dev");
  if (folder == NULL) return Stopped("opendir");
  for (struct dirent* entry = NULL; (entry = readdir(folder)) != NULL;) {
    struct stat about;
    if (IsHarmless(entry->d_name)) continue;
    if (fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode)) return Open("/dev/%s", entry->d_name);
  }
  return StoppedAs("none but the harmless ones");
}

// --- limits -------------------------------------------------------------------------------------

// The children wait for the other end of a pipe to close, so all are alive at once.
static Verdict Fork600(void) {
  int gate[2];
  if (pipe(gate) != 0) return Stopped("pipe");
  int made = 0;
  int error = 0;
  for (; made < 600; ++made) {
    const pid_t child = fork();
    if (child == 0) {
      char byte = 0;
      close(gate[1]);
      _exit((int)read(gate[0], &byte, 1));
    }
    if (child < 0) {
      error = errno;
      break;
    }
  }
  close(gate[1]);
  while (wait(NULL) > 0) {
  }
  if (made == 600) return Open("fork");
  return StoppedAs("fork: %s after %d", strerrorname_np(error), made);
}

static Verdict Mem1gib(void) {
  enum { kMiB = 1 << 20 };
  const size_t size = 1024UL * kMiB;
  char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Stopped("mmap");
  for (size_t i = 0; i < size; i += 4096) memory[i] = 1;
  return Open("mmap, touched");
}

static Verdict Fds4096(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  for (int i = 0; i < 4096; ++i) {
    if (open("/", O_PATH | O_CLOEXEC) < 0) return Stopped("open");
  }
  return Open("open");
}

// A lease would block the next process that opens the file, possibly the supervisor.
static Verdict Lease(void) {
  const int file = open("lease", O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return Broken("open in the project");
  return Tried("fcntl(F_SETLEASE)", fcntl(file, F_SETLEASE, F_RDLCK));
}

// clang-format off
static const Row kKernel[] = {
    {"bpf-map", BpfMap},
    {"io-uring", IoUring},
    {"add-key", AddKey},
    {"userfaultfd", Userfaultfd},
    {"perf-event", PerfEvent},
    {"handle-open", HandleOpen},
    {"memfd-exec", MemfdExec},
    {"proc-self-mem-write", ProcSelfMemWrite},
    {"ia32-syscall", Ia32Syscall},
    {"sysrq", Sysrq},
    {"core-pattern", CorePattern},
    {"sysctl-write", SysctlWrite},
    {"kmsg-read", KmsgRead},
    {"cgroup-mkdir", CgroupMkdir},
    {"dev-nodes", DevNodes},
    {"fork-600", Fork600},
    {"mem-1gib", Mem1gib},
    {"fds-4096", Fds4096},
    {"x-lease", Lease},
};
// clang-format on
const RowTable kKernelRows = TABLE(kKernel);
