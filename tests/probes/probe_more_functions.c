// Functions that a supervisor may break by answering calls of other processes: blocking calls, many
// at once, interruptions by signals, processes that it cannot inspect, files that it keeps open.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escape_probe.h"

// --- blocking calls -----------------------------------------------------------------------------

// Blocks in open() until a process reads.
static pid_t WriterOf(const char* fifo) {
  const pid_t child = fork();
  if (child == 0) _exit(PutMark(fifo, 0) == 0 ? 0 : errno);
  return child;
}

static int CreateMany(const char* prefix, int count) {
  char name[100];
  for (int i = 0; i < count; ++i) {
    snprintf(name, sizeof(name), "%s-%d", prefix, i);
    if (PutMark(name, O_CREAT | O_EXCL) != 0 || unlink(name) != 0) return -1;
  }
  return 0;
}

// Two writers block, which must not stall other calls.
static Verdict FifoOpen(void) {
  static const char* const kFifos[] = {"fifo-one", "fifo-two"};
  pid_t writers[2];
  for (int i = 0; i < 2; ++i) {
    if (mkfifo(kFifos[i], 0600) != 0) return Broken("mkfifo");
    writers[i] = WriterOf(kFifos[i]);
  }
  SleepMs(100);
  if (CreateMany("meanwhile", 50) != 0) return Broken("open(O_CREAT) meanwhile");
  for (int i = 0; i < 2; ++i) {
    if (waitpid(writers[i], NULL, WNOHANG) != 0) return BrokenAs("a writer did not wait");
    if (Holds(kFifos[i], kMark) != 1) return BrokenAs("read: without the data");
    errno = WEXITSTATUS(WaitFor(writers[i]));
    if (errno != 0) return Broken("open(O_WRONLY) of a FIFO");
  }
  // O_NONBLOCK fails: there is no reader.
  if (open(kFifos[0], O_WRONLY | O_NONBLOCK | O_CLOEXEC) >= 0 || errno != ENXIO) {
    return Broken("open(O_WRONLY|O_NONBLOCK) of a FIFO, instead of ENXIO");
  }
  return Works();
}

// A blocked writer can be interrupted and killed.
static void Ignore(int signal) { (void)signal; }

static Verdict FifoSignals(void) {
  if (mkfifo("fifo", 0600) != 0) return Broken("mkfifo");
  const pid_t child = fork();
  if (child == 0) {
    const struct sigaction action = {.sa_handler = Ignore};
    const struct itimerval soon = {{0, 0}, {0, 50000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    if (open("fifo", O_WRONLY) >= 0 || errno != EINTR) _exit(1);
    (void)!open("fifo", O_WRONLY);
    _exit(2);
  }
  SleepMs(300);
  kill(child, SIGTERM);
  const int status = WaitFor(child);
  if (WIFSIGNALED(status)) return Works();
  return BrokenAs(WEXITSTATUS(status) == 1 ? "open: not EINTR" : "open: returned");
}

// --- many, and signals --------------------------------------------------------------------------

enum { kThreads = 8, kFilesEach = 200 };

static void* CreateAll(void* number) {
  char name[40];
  for (int i = 0; i < kFilesEach; ++i) {
    snprintf(name, sizeof(name), "thread-%ld-%d", (long)number, i);
    if (PutMark(name, O_CREAT | O_EXCL) != 0 || Holds(name, kMark) != 1 || unlink(name) != 0) {
      return strdup(name);
    }
  }
  return NULL;
}

static Verdict Threads(void) {
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) {
    errno = pthread_create(&threads[i], NULL, CreateAll, (void*)i);
    if (errno != 0) return Broken("pthread_create");
  }
  char* failed = NULL;
  for (int i = 0; i < kThreads; ++i) {
    void* result = NULL;
    pthread_join(threads[i], &result);
    if (result != NULL) failed = result;
  }
  return failed == NULL ? Works() : BrokenAs("%s", failed);
}

static Verdict Processes(void) {
  pid_t children[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    children[i] = fork();
    if (children[i] == 0) {
      char prefix[40];
      snprintf(prefix, sizeof(prefix), "process-%d", i);
      _exit(CreateMany(prefix, kFilesEach) == 0 ? 0 : errno);
    }
  }
  int error = 0;
  for (int i = 0; i < kThreads; ++i) error |= WEXITSTATUS(WaitFor(children[i]));
  errno = error;
  return error == 0 ? Works() : Broken("open(O_CREAT), unlink");
}

// A signal never interrupts a call on a file, with or without SA_RESTART.
static Verdict Signals(void) {
  const struct itimerval often = {{0, 1000}, {0, 1000}};
  static const int kFlags[] = {SA_RESTART, 0};
  for (int i = 0; i < 2; ++i) {
    const struct sigaction action = {.sa_handler = Ignore, .sa_flags = kFlags[i]};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    if (CreateMany("signals", 2000) != 0) {
      return Broken(i == 0 ? "with SA_RESTART: open(O_CREAT), unlink" : "open(O_CREAT), unlink");
    }
    for (int n = 0; n < 500; ++n) {
      if (mkdir("folder", 0755) != 0) return Broken("mkdir");
      if (rename("folder", "renamed") != 0) return Broken("rename");
      if (rmdir("renamed") != 0) return Broken("rmdir");
    }
  }
  return Works();
}

// --- callers ------------------------------------------------------------------------------------

// Unprivileged processes cannot inspect this process, like one that keeps a secret.
static Verdict NotDumpable(void) {
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return Broken("prctl(PR_SET_DUMPABLE)");
  if (PutMark("file", O_CREAT | O_EXCL) != 0) return Broken("open(O_CREAT)");
  if (mkdir("folder", 0755) != 0) return Broken("mkdir");
  if (rename("file", "folder/file") != 0) return Broken("rename");
  if (symlink("folder", "link") != 0) return Broken("symlink");
  if (link("folder/file", "hard") != 0) return Broken("link");
  return unlink("folder/file") == 0 ? Works() : Broken("unlink");
}

// After the first thread has exited, queries about the process id reach a zombie.
static pthread_t first_thread;

static void* AfterTheFirst(void* unused) {
  pthread_join(first_thread, NULL);
  SleepMs(20);
  _exit(PutMark("file", O_CREAT | O_EXCL) == 0 ? 0 : errno);
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
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
  return errno == 0 ? Works() : Broken("open(O_CREAT)");
}

// vfork(2): the child has its own descriptors, and the parent continues when it exits.
static Verdict Vfork(void) {
  static volatile int error;
  const pid_t child = vfork();
  if (child == 0) {
    error = PutMark("file", O_CREAT | O_EXCL) == 0 ? 0 : errno;
    _exit(0);
  }
  WaitFor(child);
  errno = error;
  return error == 0 ? Works() : Broken("open(O_CREAT)");
}

// --- terminals and standard streams -------------------------------------------------------------

static Verdict WritesTo(int target, const char* name, int from) {
  if (dup2(target, 1) != 1 || dup2(target, 2) != 2) return Broken("dup2");
  // Opens it as a shell does for `> /dev/stdout`.
  if (PutMark(name, O_CREAT | O_TRUNC) != 0) return Broken(name);
  char text[8] = "";
  if (read(from, text, 8) != 8 || memcmp(text, kMark, 8) != 0) return BrokenAs("%s: lost", name);
  return Works();
}

static Verdict DevStdout(void) {
  static const char* const kNames[] = {"/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/1",
                                       "/proc/self/fd/2"};
  for (size_t i = 0; i < sizeof(kNames) / sizeof(kNames[0]); ++i) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return Broken("pipe");
    if (WritesTo(ends[1], kNames[i], ends[0]) != kWorks) return kBroken;
    const int file = open("output", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const int other = open("output", O_RDONLY | O_CLOEXEC);
    if (file < 0 || other < 0) return Broken("open(O_CREAT)");
    if (WritesTo(file, kNames[i], other) != kWorks) return kBroken;
  }
  return Works();
}

// Runs in a session with its own controlling terminal, acquired as login_tty(3) does.
static void SpeakToTerminal(const char* slave) {
  const int own = setsid() < 0 ? -1 : open(slave, O_RDWR);
  if (own < 0 || ioctl(own, TIOCSCTTY, 0) != 0) _exit(errno);
  const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (terminal < 0) _exit(errno);
  _exit(write(terminal, "!", 1) == 1 ? 0 : errno);
}

static Verdict DevTty(void) {
  char name[64];
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return Broken("posix_openpt");
  if (ptsname_r(master, name, sizeof(name)) != 0) return Broken("ptsname");
  // Held open, so that the output is not lost when the child exits.
  const int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) return Broken("open(/dev/pts/N)");
  const pid_t child = fork();
  if (child == 0) SpeakToTerminal(name);
  errno = WEXITSTATUS(WaitFor(child));
  if (errno != 0) return Broken("open(/dev/tty), write");
  char byte = 0;
  return read(master, &byte, 1) == 1 && byte == '!' ? Works() : Broken("read");
}

// --- files that another process may have kept open ----------------------------------------------

static int FlockFree(const char* name) {
  const int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  return file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;
}

static int FcntlFree(const char* name) {
  const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  const int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  return file >= 0 && fcntl(file, F_SETLK, &whole) == 0;
}

// The lock excludes another process while it is held, and none after it is closed.
static Verdict Excludes(int (*lock)(const char*), const char* name) {
  int told[2];
  if (pipe(told) != 0) return Broken("pipe");
  const pid_t holder = fork();
  if (holder == 0) {
    const char held = (char)('0' + lock(name));
    if (write(told[1], &held, 1) != 1) _exit(1);
    pause();
  }
  char held = 0;
  if (read(told[0], &held, 1) != 1 || held != '1') return BrokenAs("%s: not locked", name);
  if (lock(name)) return BrokenAs("%s: locked twice", name);
  kill(holder, SIGKILL);
  WaitFor(holder);
  return lock(name) ? Works() : BrokenAs("%s: still locked after its holder", name);
}

static Verdict Locks(void) {
  return Excludes(FlockFree, "flock") == kWorks ? Excludes(FcntlFree, "fcntl") : kBroken;
}

// A program that a process still has open for writing cannot be executed (ETXTBSY).
static Verdict ExecAfterWrite(void) {
  for (int i = 0; i < 20; ++i) {
    const int file = open("copy", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    if (file < 0 || CopySelf(file) != 0) return Broken("open(O_CREAT), write");
    close(file);
    const pid_t child = fork();
    if (child == 0) {
      execl("./copy", "copy", "ran", (char*)NULL);
      _exit(errno);
    }
    errno = WEXITSTATUS(WaitFor(child));
    if (errno != 42) return Broken("execve");
  }
  return Works();
}

// When the last writer closes the FIFO, the reader sees the end.
static Verdict FifoEnd(void) {
  if (mkfifo("fifo", 0600) != 0) return Broken("mkfifo");
  const pid_t writer = WriterOf("fifo");
  const int file = open("fifo", O_RDONLY | O_CLOEXEC);
  if (file < 0) return Broken("open(O_RDONLY) of a FIFO");
  char text[8];
  if (read(file, text, 8) != 8) return Broken("read");
  WaitFor(writer);
  fcntl(file, F_SETFL, O_NONBLOCK);
  return read(file, text, 8) == 0 ? Works() : Broken("read: no end");
}

static const Row kMoreFunctions[] = {
    {"fn-x-fifo-open", FifoOpen},
    {"fn-x-fifo-signals", FifoSignals},
    {"fn-x-fifo-end", FifoEnd},
    {"fn-x-threads", Threads},
    {"fn-x-processes", Processes},
    {"fn-x-signals", Signals},
    {"fn-x-not-dumpable", NotDumpable},
    {"fn-x-thread-without-first", ThreadWithoutFirst},
    {"fn-x-vfork", Vfork},
    {"fn-x-dev-stdout", DevStdout},
    {"fn-x-dev-tty", DevTty},
    {"fn-x-locks", Locks},
    {"fn-x-exec-after-write", ExecAfterWrite},
};
const RowTable kMoreFunctionRows = TABLE(kMoreFunctions);
