// Rights that Landlock added late, without namespaces: signals through every call that sends one,
// O_TRUNC without write access, and addresses of sockets that were created as a pair.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escape_probe.h"
#include "kernel_abi.h"

static pid_t Target(void) { return (pid_t)FixtureNumber("victim_pid"); }

static siginfo_t Info(void) {
  siginfo_t info = {0};
  info.si_signo = SIGUSR1;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  return info;
}

static Verdict Tkill(void) { return Tried("tkill", syscall(SYS_tkill, Target(), SIGUSR1)); }

static Verdict Tgkill(void) {
  return Tried("tgkill", syscall(SYS_tgkill, Target(), Target(), SIGUSR1));
}

static Verdict PidfdSignal(void) {
  const long process = syscall(SYS_pidfd_open, Target(), 0);
  if (process < 0) return Stopped("pidfd_open");
  return Tried("pidfd_send_signal", syscall(SYS_pidfd_send_signal, process, SIGUSR1, NULL, 0));
}

static Verdict Queue(void) {
  siginfo_t info = Info();
  return Tried("rt_sigqueueinfo", syscall(SYS_rt_sigqueueinfo, Target(), SIGUSR1, &info));
}

static Verdict QueueToThread(void) {
  siginfo_t info = Info();
  return Tried("rt_tgsigqueueinfo",
               syscall(SYS_rt_tgsigqueueinfo, Target(), Target(), SIGUSR1, &info));
}

// The kernel sends the signal when the socket is readable. `name_owner` sets its receiver.
static Verdict SignalWhenReady(const char* call, int (*name_owner)(int socket)) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return Stopped("socketpair");
  if (name_owner(pair[0]) != 0) return Stopped(call);
  if (fcntl(pair[0], F_SETSIG, SIGUSR1) != 0) return Stopped("fcntl(F_SETSIG)");
  if (fcntl(pair[0], F_SETFL, O_ASYNC) != 0) return Stopped("fcntl(O_ASYNC)");
  return Tried(call, write(pair[1], "x", 1));
}

static int ByCommand(int socket) { return fcntl(socket, F_SETOWN, Target()); }
static int ByStructure(int socket) {
  const struct f_owner_ex owner = {F_OWNER_PID, Target()};
  return fcntl(socket, F_SETOWN_EX, &owner);
}
static int ByRequest(int socket) {
  const int target = Target();
  return ioctl(socket, 0x8901 /* FIOSETOWN */, &target);
}
static Verdict SetOwner(void) { return SignalWhenReady("fcntl(F_SETOWN)", ByCommand); }
static Verdict SetOwnerEx(void) { return SignalWhenReady("fcntl(F_SETOWN_EX)", ByStructure); }
static Verdict RequestOwner(void) { return SignalWhenReady("ioctl(FIOSETOWN)", ByRequest); }

// O_ACCMODE opens a file for ioctl(2) only, but O_TRUNC still empties it.
static Verdict TruncateWithoutAccess(void) {
  return Tried("open(O_ACCMODE|O_TRUNC)", open(In("outside", "no-access"), O_ACCMODE | O_TRUNC));
}

// A datagram socket of a pair can send to any address.
static Verdict PairToOutside(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof(address.sun_path), "%s", Fixture("unix_datagram"));
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0) return Stopped("socketpair");
  return Tried("sendto",
               sendto(pair[0], kMark, 8, 0, (const struct sockaddr*)&address, sizeof(address)));
}

// --- what must work -----------------------------------------------------------------------------

static volatile sig_atomic_t g_heard, g_sender;

static void Hear(int signal, siginfo_t* info, void* context) {
  (void)context;
  g_heard = signal;
  g_sender = info->si_pid;
}

static int Heard(int signal) {
  const int heard = g_heard == signal;
  g_heard = 0;
  return heard;
}

static pid_t Sleeper(void) {
  const pid_t child = fork();
  if (child != 0) return child;
  for (;;) pause();
}

static int EndedBy(pid_t child, int signal) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

static void* Wait(void* unused) {
  for (;;) pause();
  return unused;
}

static Verdict SignalsToItself(void) {
  struct sigaction action = {.sa_sigaction = Hear, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  siginfo_t info = Info();
  if (kill(getpid(), SIGUSR1) != 0 || !Heard(SIGUSR1)) return Broken("kill of itself");
  if (raise(SIGUSR1) != 0 || !Heard(SIGUSR1)) return Broken("raise");
  if (g_sender != getpid()) return BrokenAs("raise: sent by another process");
  if (syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info) != 0 || !Heard(SIGUSR1)) {
    return Broken("rt_sigqueueinfo to itself");
  }
  if (syscall(SYS_tkill, gettid(), SIGUSR1) != 0 || !Heard(SIGUSR1)) return Broken("tkill");
  if (kill(0, 0) != 0) return Broken("kill(0, 0)");
  // The C library's own signal, which must come from this process.
  pthread_t thread;
  void* result = NULL;
  if (pthread_create(&thread, NULL, Wait, NULL) != 0) return Broken("pthread_create");
  if (pthread_cancel(thread) != 0) return Broken("pthread_cancel");
  if (pthread_join(thread, &result) != 0 || result != PTHREAD_CANCELED) {
    return Broken("pthread_join");
  }
  return Works();
}

static Verdict SignalsToChildren(void) {
  siginfo_t info = Info();
  signal(SIGINT, SIG_DFL);  // background jobs of a shell ignore it
  pid_t child = Sleeper();
  if (kill(child, 0) != 0 || kill(child, SIGTERM) != 0 || !EndedBy(child, SIGTERM)) {
    return Broken("kill of a child");
  }
  if (kill(child, SIGTERM) == 0 || errno != ESRCH) return Broken("kill of a child that has ended");
  child = Sleeper();
  if (syscall(SYS_rt_sigqueueinfo, child, SIGUSR1, &info) != 0 || !EndedBy(child, SIGUSR1)) {
    return Broken("rt_sigqueueinfo to a child");
  }
  child = Sleeper();
  if (syscall(SYS_tgkill, child, child, SIGINT) != 0 || !EndedBy(child, SIGINT)) {
    return Broken("tgkill of a child");
  }
  child = Sleeper();
  const long process = syscall(SYS_pidfd_open, child, 0);
  if (syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0) != 0 || !EndedBy(child, SIGKILL)) {
    return Broken("pidfd_send_signal to a child");
  }
  child = Sleeper();
  if (setpgid(child, child) != 0) return Broken("setpgid");
  if (kill(-child, SIGTERM) != 0 || !EndedBy(child, SIGTERM)) return Broken("kill of a group");
  return Works();
}

static const Row kSignals[] = {
    {"x-tkill", Tkill},
    {"x-tgkill", Tgkill},
    {"x-pidfd-signal", PidfdSignal},
    {"x-sigqueue", Queue},
    {"x-tgsigqueue", QueueToThread},
    {"x-setown", SetOwner},
    {"x-setown-ex", SetOwnerEx},
    {"x-fiosetown", RequestOwner},
    {"x-open-trunc-no-access", TruncateWithoutAccess},
    {"x-socketpair-datagram", PairToOutside},
    {"fn-x-signals-itself", SignalsToItself},
    {"fn-x-signals-children", SignalsToChildren},
};
const RowTable kSignalRows = TABLE(kSignals);
