// Processes outside: seeing, reading and changing them, and outliving the command.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "escape_probe.h"
#include "kernel_abi.h"

// The victim has eight letters at an address that it publishes; the probe replaces them with these.
static const char kLetters[] = "escaped!";
enum { kLettersSize = 8 };

static pid_t Victim(void) { return (pid_t)FixtureNumber("victim_pid"); }
static void* VictimMemory(void) { return (void*)strtoul(Fixture("victim_memory"), NULL, 10); }

static const char* VictimProc(const char* name) {
  static char path[64];
  snprintf(path, sizeof(path), "/proc/%s/%s", Fixture("victim_pid"), name);
  return path;
}

static Verdict ReadProcEnviron(void) {
  const int held = Holds(VictimProc("environ"), Fixture("secret"));
  if (held < 0) return Stopped("open, read");
  return held ? Open("open, read") : StoppedAs("read: another process");
}

// Compares the command line: inside, the number may belong to another process.
static Verdict SeeOutsidePid(void) {
  const int held = Holds(VictimProc("cmdline"), Fixture("victim_name"));
  if (held < 0) return Stopped("open, read");
  return held ? Open("open, read") : StoppedAs("read: another process");
}

static Verdict SignalOutside(void) { return Tried("kill", kill(Victim(), SIGUSR1)); }

static Verdict PtraceOutside(void) {
  const pid_t victim = Victim();
  if (ptrace(PTRACE_ATTACH, victim, NULL, NULL) != 0) return Stopped("ptrace(PTRACE_ATTACH)");
  if (waitpid(victim, NULL, __WALL) != victim) return Stopped("waitpid");
  long word = 0;
  memcpy(&word, kLetters, sizeof(word));
  const long poked = ptrace(PTRACE_POKEDATA, victim, VictimMemory(), word);
  const int error = errno;
  ptrace(PTRACE_DETACH, victim, NULL, NULL);
  errno = error;
  return Tried("ptrace(PTRACE_POKEDATA)", poked);
}

static Verdict ProcMemOutside(void) {
  const int memory = open(VictimProc("mem"), O_RDWR | O_CLOEXEC);
  if (memory < 0) return Stopped("open");
  return Tried("pwrite", pwrite(memory, kLetters, kLettersSize, (off_t)VictimMemory()));
}

static Verdict VmWriteOutside(void) {
  const struct iovec from = {(void*)kLetters, kLettersSize};
  const struct iovec to = {VictimMemory(), kLettersSize};
  return Tried("process_vm_writev", process_vm_writev(Victim(), &from, 1, &to, 1, 0));
}

static Verdict PidfdGetfd(void) {
  const long process = syscall(SYS_pidfd_open, Victim(), 0);
  if (process < 0) return Stopped("pidfd_open");
  const long file = syscall(SYS_pidfd_getfd, process, FixtureNumber("victim_fd"), 0);
  if (file < 0) return Stopped("pidfd_getfd");
  char content[200] = "";
  if (pread((int)file, content, sizeof(content) - 1, 0) < 0) return Stopped("pread");
  if (strstr(content, Fixture("secret")) == NULL) return StoppedAs("pread: another process");
  return Open("pidfd_getfd, pread");
}

// Writes for two seconds; the test outside checks if this continues after the command has ended.
static void LiveOn(void) {
  setsid();
  for (int i = 0; i < 1024; ++i) close(i);
  for (int i = 0; i < 40; ++i) {
    PutMark("orphan", O_CREAT | O_APPEND);
    SleepMs(50);
  }
  _exit(0);
}

static Verdict OrphanSurvives(void) {
  const pid_t child = fork();
  if (child < 0) return Stopped("fork");
  if (child == 0) {
    setsid();
    if (fork() == 0) LiveOn();
    _exit(0);
  }
  WaitFor(child);
  return Open("fork, setsid, fork");
}

// Types a letter into the terminal's input.
static Verdict Tiocsti(void) {
  char letter = 'E';
  if (ioctl(0, TIOCSTI, &letter) == 0) return Open("ioctl(0, TIOCSTI)");
  const int error = errno;
  const char* const names[] = {"/dev/tty", Fixture("pty")};
  for (int i = 0; i < 2; ++i) {
    const int terminal = open(names[i], O_RDWR | O_CLOEXEC);
    if (terminal >= 0 && ioctl(terminal, TIOCSTI, &letter) == 0) {
      return Open("open(%s), ioctl(TIOCSTI)", names[i]);
    }
  }
  errno = error;
  return Stopped("ioctl(0, TIOCSTI)");
}

static const Row kProcesses[] = {
    {"read-proc-environ", ReadProcEnviron},
    {"see-outside-pid", SeeOutsidePid},
    {"signal-outside", SignalOutside},
    {"ptrace-outside", PtraceOutside},
    {"proc-mem-outside", ProcMemOutside},
    {"vm-write-outside", VmWriteOutside},
    {"pidfd-getfd", PidfdGetfd},
    {"orphan-survives", OrphanSurvives},
    {"tiocsti", Tiocsti},
};
const RowTable kProcessRows = TABLE(kProcesses);
