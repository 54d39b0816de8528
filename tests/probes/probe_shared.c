// Resources that the kernel counts per user or per machine: a sandbox that uses them up takes them
// from the programs outside. A row is open if it got more than a sandbox may have.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <unistd.h>

#include "escape_probe.h"

static void RaiseDescriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static long NumberIn(const char* path) {
  long number = -1;
  FILE* file = fopen(path, "re");
  if (file != NULL) {
    if (fscanf(file, "%ld", &number) != 1) number = -1;
    fclose(file);
  }
  return number;
}

// The machine has 4,096, of which 1,024 are reserved for the first devpts mount.
static Verdict Terminals(void) {
  RaiseDescriptors();
  for (int i = 0; i < 300; ++i) {
    if (posix_openpt(O_RDWR | O_NOCTTY) < 0) {
      const int count = i;
      return count == 0 ? Stopped("posix_openpt") : StoppedAs("posix_openpt: after %d", count);
    }
  }
  return Open("300 terminals");
}

static Verdict InotifyInstances(void) {
  const long most = NumberIn("/proc/sys/fs/inotify/max_user_instances");
  if (most < 0 || most > 4096) return Skipped("%ld instances for a user", most);
  RaiseDescriptors();
  for (long i = 0; i <= most / 2; ++i) {
    if (inotify_init1(IN_CLOEXEC) < 0) return Stopped("inotify_init1");
  }
  return Open("%ld of %ld instances", most / 2 + 1, most);
}

// `signals` is the limit outside.
static Verdict QueuedSignals(void) {
  const long most = FixtureNumber("signals");
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (long i = 0; i <= most / 2; ++i) {
    if (sigqueue(getpid(), SIGRTMIN, (union sigval){0}) != 0) return Stopped("sigqueue");
  }
  return Open("%ld of %ld signals", most / 2 + 1, most);
}

// `queues` is the limit outside, in bytes.
static Verdict MessageQueues(void) {
  enum { kMessages = 10, kBytes = 8192 };
  const long wanted = FixtureNumber("queues") / 2 / (kMessages * kBytes) + 1;
  struct mq_attr attributes = {.mq_maxmsg = kMessages, .mq_msgsize = kBytes};
  for (long i = 0; i < wanted; ++i) {
    char name[64];
    snprintf(name, sizeof name, "/ringfence-%d-%ld", (int)getpid(), i);
    const mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    const int failed = errno;
    mq_unlink(name);
    errno = failed;
    if (queue == (mqd_t)-1) return Stopped("mq_open");
  }
  return Open("%ld queues", wanted);
}

static Verdict LockedMemory(void) {
  const int memory = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  if (memory < 0) return Stopped("shmget");
  const int locked = shmctl(memory, SHM_LOCK, NULL);
  const int failed = errno;
  shmctl(memory, IPC_RMID, NULL);
  errno = failed;
  return Tried("shmctl(SHM_LOCK)", locked);
}

// With 0 the kernel starts the host's crash handler, with 1 it does not.
static Verdict CoreLimit(void) {
  const struct rlimit none = {0, 0};
  struct rlimit now = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0 || getrlimit(RLIMIT_CORE, &now) != 0) {
    return Stopped("setrlimit");
  }
  if (now.rlim_cur == 1 && now.rlim_max == 1) return StoppedAs("the limit stays 1");
  return Open("the limit is %ld", (long)now.rlim_cur);
}

// A program outside that wants to write the file must wait for the lock.
static Verdict LockOutside(void) {
  const int file = open(In("outside", "write"), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Stopped("open");
  struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  if (fcntl(file, F_SETLK, &whole) != 0) return Stopped("fcntl(F_SETLK)");
  return Tried("flock", flock(file, LOCK_EX | LOCK_NB));
}

// Descriptors in flight count for the user; each sender has its own limit.
static Verdict DescriptorsInFlight(void) {
  enum { kAtOnce = 200, kTimes = 3 };
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0) return Stopped("socketpair");
  union {
    char bytes[CMSG_SPACE(kAtOnce * sizeof(int))];
    struct cmsghdr aligned;
  } control;
  char byte = 0;
  struct iovec data = {&byte, 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  struct cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(kAtOnce * sizeof(int));
  int* sent = (int*)CMSG_DATA(head);
  for (int i = 0; i < kAtOnce; ++i) sent[i] = STDIN_FILENO;
  for (int i = 0; i < kTimes; ++i) {
    if (sendmsg(pair[0], &message, MSG_DONTWAIT) < 0) return Stopped("sendmsg");
  }
  return Open("%d in flight", kAtOnce * kTimes);
}

// Once the user's pipes hold this many pages, new pipes of other processes get only two.
static Verdict PipePages(void) {
  enum { kPipes = 100, kLarge = 1 << 20, kUsual = 1 << 16 };
  if (geteuid() == 0) return Skipped("root's pipes are not limited");
  int pair[2];
  for (int i = 0; i < kPipes; ++i) {
    if (pipe2(pair, O_CLOEXEC) != 0) return Stopped("pipe2");
    fcntl(pair[0], F_SETPIPE_SZ, kLarge);  // refused once most are used up
  }
  if (pipe2(pair, O_CLOEXEC) != 0) return Stopped("pipe2");
  const int size = fcntl(pair[0], F_GETPIPE_SZ);
  return size < kUsual ? Open("a new pipe holds %d bytes", size)
                       : StoppedAs("a new pipe holds %d bytes", size);
}

// clang-format off
static const Row kShared[] = {
    {"x-terminals", Terminals},
    {"x-inotify-instances", InotifyInstances},
    {"x-queued-signals", QueuedSignals},
    {"x-message-queues", MessageQueues},
    {"x-locked-memory", LockedMemory},
    {"x-core-limit", CoreLimit},
    {"x-lock-outside", LockOutside},
    {"x-fds-in-flight", DescriptorsInFlight},
    {"x-pipe-pages", PipePages},
};
// clang-format on
const RowTable kSharedRows = TABLE(kShared);
