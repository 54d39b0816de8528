// Runs a command under ptrace(2) and fails one system call of one of its processes, or kills the
// command's first process there.
//
//   fail_call list COMMAND...   prints one line per call: process, number, index among the calls of
//                               that number, first and second argument
//   fail_call PROCESS NUMBER WHICH ERROR COMMAND...  the call fails with that errno value
//   fail_call PROCESS NUMBER WHICH kill COMMAND...   the first process is killed before the call
//
// Processes are numbered in order of creation, calls of one number from 0 in each process. The exit
// status is that of the first process, 128 plus the signal, 200 for an internal error, or 201 if
// there was no such call.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  kMostProcesses = 64,
  kMostNumbers = 1024,
  kMistake = 200,
  kNoSuchCall = 201,
  kSystemCallStop = SIGTRAP | 0x80
};

struct Process {
  pid_t pid;
  int calls[kMostNumbers];
  int is_in;      // between the entry and exit of a call
  int is_failed;  // this is the call to fail
};

static struct Process processes[kMostProcesses];
static int process_count;
static int lists, kills, wanted_process = -1, wanted_number = -1, wanted_call = -1, wanted_error;
static int was_there;

static void Fail(const char* what) {
  fprintf(stderr, "fail_call: %s: %s\n", what, strerror(errno));
  exit(kMistake);
}

static struct Process* Find(pid_t pid) {
  for (int i = 0; i < process_count; ++i) {
    if (processes[i].pid == pid) return &processes[i];
  }
  if (process_count == kMostProcesses) Fail("too many processes");
  struct Process* process = &processes[process_count++];
  process->pid = pid;
  return process;
}

static void Enter(struct Process* process, struct user_regs_struct* registers) {
  const int which = (int)(process - processes);
  const unsigned long long number = registers->orig_rax;
  if (number >= kMostNumbers) return;
  const int call = process->calls[number]++;
  if (lists) {
    fprintf(stderr, "call %d %llu %d %llu %llu\n", which, number, call,
            (unsigned long long)registers->rdi, (unsigned long long)registers->rsi);
  }
  if (which != wanted_process || number != (unsigned)wanted_number || call != wanted_call) return;
  was_there = 1;
  if (kills) {
    kill(processes[0].pid, SIGKILL);
    return;
  }
  process->is_failed = 1;
  registers->orig_rax = (unsigned long long)-1;
  if (ptrace(PTRACE_SETREGS, process->pid, 0, registers) != 0) Fail("ptrace");
}

static void Leave(struct Process* process, struct user_regs_struct* registers) {
  if (!process->is_failed) return;
  process->is_failed = 0;
  registers->rax = (unsigned long long)-wanted_error;
  if (ptrace(PTRACE_SETREGS, process->pid, 0, registers) != 0) Fail("ptrace");
}

static void AtCall(struct Process* process) {
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, process->pid, 0, &registers) != 0) return;  // killed in between
  process->is_in = !process->is_in;
  if (process->is_in) {
    Enter(process, &registers);
  } else {
    Leave(process, &registers);
  }
}

// Handles a stop; returns the signal to deliver.
static int AtStop(struct Process* process, int status) {
  const int signal = WSTOPSIG(status);
  if (signal == kSystemCallStop) AtCall(process);
  if (signal == kSystemCallStop || status >> 16 != 0) return 0;
  // A new process starts with SIGSTOP; no test sends one.
  return signal == SIGSTOP ? 0 : signal;
}

static int Trace(pid_t first) {
  int end = kMistake;
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0) return end;
    if (WIFSTOPPED(status)) {
      const int signal = AtStop(Find(pid), status);
      ptrace(PTRACE_SYSCALL, pid, 0, signal);
    } else if (pid == first) {
      end = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
  }
}

static pid_t Start(char** command) {
  const pid_t first = fork();
  if (first == 0) {
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) Fail("ptrace");
    raise(SIGSTOP);
    execv(command[0], command);
    Fail(command[0]);
  }
  int status = 0;
  if (first < 0 || waitpid(first, &status, 0) != first) Fail("fork");
  const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                       PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, first, 0, options) != 0) Fail("ptrace");
  Find(first);
  if (ptrace(PTRACE_SYSCALL, first, 0, 0) != 0) Fail("ptrace");
  return first;
}

int main(int argc, char** argv) {
  lists = argc > 2 && strcmp(argv[1], "list") == 0;
  if (!lists && argc < 6) return kMistake;
  if (!lists) {
    wanted_process = atoi(argv[1]);
    wanted_number = atoi(argv[2]);
    wanted_call = atoi(argv[3]);
    kills = strcmp(argv[4], "kill") == 0;
    wanted_error = atoi(argv[4]);
  }
  const int end = Trace(Start(argv + (lists ? 2 : 5)));
  return lists || was_there ? end : kNoSuchCall;
}
