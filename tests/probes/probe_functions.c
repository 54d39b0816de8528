// Functions that ordinary builds need: all must work inside.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escape_probe.h"

static Verdict WriteCwd(void) {
  if (mkdir("made", 0755) != 0) return Broken("mkdir");
  if (PutMark("made/file", O_CREAT | O_EXCL) != 0) return Broken("open(O_CREAT)");
  if (PutMark("made/file", O_APPEND) != 0) return Broken("open(O_APPEND)");
  if (Holds("made/file", "escaped\nescaped\n") != 1) return Broken("read");
  if (unlink("made/file") != 0) return Broken("unlink");
  return rmdir("made") == 0 ? Works() : Broken("rmdir");
}

static Verdict MkfifoCwd(void) {
  if (mkfifo("fifo", 0600) != 0) return Broken("mkfifo");
  const int both = open("fifo", O_RDWR | O_CLOEXEC);
  if (both < 0) return Broken("open");
  char text[8];
  if (write(both, kMark, 8) != 8 || read(both, text, 8) != 8) return Broken("write, read");
  return Works();
}

static Verdict TmpWrite(void) {
  char path[] = "/tmp/fn-tmp-write-XXXXXX";
  const int file = mkostemp(path, O_CLOEXEC);
  if (file < 0) return Broken("mkostemp");
  if (write(file, kMark, 8) != 8) return Broken("write");
  return unlink(path) == 0 ? Works() : Broken("unlink");
}

static Verdict Devnull(void) {
  if (PutMark("/dev/null", O_CREAT | O_TRUNC) != 0) return Broken("open(/dev/null), write");
  const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
  char byte = 0;
  return file >= 0 && read(file, &byte, 1) == 0 ? Works() : Broken("read(/dev/null)");
}

static Verdict Urandom(void) {
  unsigned char bytes[16];
  const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (file < 0) return Broken("open(/dev/urandom)");
  if (read(file, bytes, sizeof(bytes)) != sizeof(bytes)) return Broken("read(/dev/urandom)");
  return getrandom(bytes, sizeof(bytes), 0) == sizeof(bytes) ? Works() : Broken("getrandom");
}

static Verdict PosixSem(void) {
  char name[40];
  snprintf(name, sizeof(name), "/fn-posix-sem-%d", getpid());
  sem_t* semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
  if (semaphore == SEM_FAILED) return Broken("sem_open");
  if (sem_wait(semaphore) != 0 || sem_post(semaphore) != 0) return Broken("sem_wait");
  return sem_unlink(name) == 0 ? Works() : Broken("sem_unlink");
}

static Verdict PtyOpen(void) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) return Broken("posix_openpt");
  char name[64];
  if (grantpt(master) != 0 || unlockpt(master) != 0) return Broken("unlockpt");
  if (ptsname_r(master, name, sizeof(name)) != 0) return Broken("ptsname");
  const int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) return Broken("open(/dev/pts/N)");
  char byte = 0;
  return write(slave, "x", 1) == 1 && read(master, &byte, 1) == 1 ? Works() : Broken("write, read");
}

static Verdict ProcSelf(void) {
  if (Holds("/proc/self/status", "Pid:") != 1) return Broken("read(/proc/self/status)");
  if (Holds("/proc/self/maps", "[") < 0) return Broken("read(/proc/self/maps)");
  char target[512];
  if (readlink("/proc/self/exe", target, sizeof(target)) < 1) return Broken("readlink");
  return Exists("/proc/self/fd/0") ? Works() : Broken("lstat(/proc/self/fd/0)");
}

static Verdict Socketpair(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return Broken("socketpair");
  char text[8];
  if (write(ends[0], kMark, 8) != 8 || read(ends[1], text, 8) != 8) return Broken("write, read");
  return Works();
}

// Binds, listens, and connects from a child.
static Verdict ServeAt(struct sockaddr* address, socklen_t size) {
  const int server = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (server < 0) return Broken("socket");
  if (bind(server, address, size) != 0) return Broken("bind");
  if (listen(server, 1) != 0) return Broken("listen");
  if (getsockname(server, address, &size) != 0) return Broken("getsockname");
  const pid_t child = fork();
  if (child == 0) {
    const int client = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(client, address, size) != 0) _exit(errno);
    _exit(write(client, kMark, 8) == 8 ? 0 : errno);
  }
  // Before accept(), which blocks if the child cannot connect.
  errno = WEXITSTATUS(WaitFor(child));
  if (errno != 0) return Broken("connect");
  const int client = accept(server, NULL, NULL);
  if (client < 0) return Broken("accept");
  char text[8];
  return read(client, text, 8) == 8 ? Works() : Broken("read");
}

static Verdict UnixInside(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
  return ServeAt((struct sockaddr*)&address, sizeof(address));
}

static Verdict TcpInside(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ServeAt((struct sockaddr*)&address, sizeof(address));
}

static Verdict PtraceChild(void) {
  static volatile long word = 1;
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(errno);
    raise(SIGSTOP);
    _exit(word == 7 ? 0 : 255);
  }
  const int stopped = WaitFor(child);
  if (!WIFSTOPPED(stopped)) {
    errno = WEXITSTATUS(stopped);
    return Broken("ptrace(PTRACE_TRACEME)");
  }
  if (ptrace(PTRACE_POKEDATA, child, (void*)&word, 7L) != 0) return Broken("PTRACE_POKEDATA");
  if (ptrace(PTRACE_CONT, child, NULL, NULL) != 0) return Broken("PTRACE_CONT");
  return WaitFor(child) == 0 ? Works() : BrokenAs("the child did not see the change");
}

static Verdict HardlinkCwd(void) {
  if (PutMark("one", O_CREAT) != 0) return Broken("open(O_CREAT)");
  if (link("one", "two") != 0) return Broken("link");
  struct stat about;
  return stat("two", &about) == 0 && about.st_nlink == 2 ? Works() : Broken("stat");
}

static Verdict RenameAcrossDirs(void) {
  if (mkdir("from", 0755) != 0 || mkdir("to", 0755) != 0) return Broken("mkdir");
  if (PutMark("from/file", O_CREAT) != 0) return Broken("open(O_CREAT)");
  if (rename("from/file", "to/file") != 0) return Broken("rename a file");
  if (rename("from", "to/from") != 0) return Broken("rename a folder");
  return Exists("to/file") && Exists("to/from") ? Works() : BrokenAs("rename: without effect");
}

static Verdict ExecCwd(void) {
  const int file = open("copy", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
  if (file < 0) return Broken("open(O_CREAT)");
  if (CopySelf(file) != 0) return Broken("write");
  close(file);
  const pid_t child = fork();
  if (child == 0) {
    execl("./copy", "copy", "ran", (char*)NULL);
    _exit(errno);
  }
  const int status = WaitFor(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 42) return Works();
  errno = WEXITSTATUS(status);
  return Broken("execve");
}

// clang-format off
static const Row kFunctions[] = {
    {"fn-write-cwd", WriteCwd},
    {"fn-mkfifo-cwd", MkfifoCwd},
    {"fn-tmp-write", TmpWrite},
    {"fn-devnull", Devnull},
    {"fn-urandom", Urandom},
    {"fn-posix-sem", PosixSem},
    {"fn-pty-open", PtyOpen},
    {"fn-proc-self", ProcSelf},
    {"fn-socketpair", Socketpair},
    {"fn-unix-inside", UnixInside},
    {"fn-tcp-inside", TcpInside},
    {"fn-ptrace-child", PtraceChild},
    {"fn-hardlink-cwd", HardlinkCwd},
    {"fn-rename-across-dirs", RenameAcrossDirs},
    {"fn-exec-cwd", ExecCwd},
};
// clang-format on
const RowTable kFunctionRows = TABLE(kFunctions);
