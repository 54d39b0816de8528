// Measures whole processes: each command is started with INPUT on a pipe as its standard input, and
// the clock runs until it has been reaped. The commands take turns, so that other load on the
// machine affects all of them alike.
//
//   spawn_bench RUNS INPUT NAME COMMAND [ARGUMENT...] [, NAME COMMAND...]...
//
// Prints one line per command, separated by tabs: NAME, median, 10th and 90th percentile in
// microseconds, peak resident size in KiB, exit status, bytes printed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMaxCommands = 32, kWarmUp = 3 };

struct Command {
  const char* name;
  char** argv;
  double* microseconds;
  long peak_kib;
  int status;
  ssize_t printed;
};

static void Check(int ok, const char* what) {
  if (ok) return;
  perror(what);
  exit(1);
}

static double Now(void) {
  struct timespec time;
  Check(clock_gettime(CLOCK_MONOTONIC, &time) == 0, "clock_gettime");
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

// Moves pages from the file to the pipe without mapping them here: a child's peak starts at the
// peak of its parent.
static void Feed(int input, off_t size, int pipe) {
  off_t offset = 0;
  while (offset < size) {
    const ssize_t moved = splice(input, &offset, pipe, NULL, (size_t)(size - offset), 0);
    if (moved < 0 && errno == EPIPE) return;  // the command need not read everything
    Check(moved > 0, "splice");
  }
}

static pid_t Start(const struct Command* command, int in, int out) {
  posix_spawn_file_actions_t actions;
  Check(posix_spawn_file_actions_init(&actions) == 0, "posix_spawn_file_actions_init");
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  pid_t child;
  errno = posix_spawn(&child, command->argv[0], &actions, NULL, command->argv, environ);
  Check(errno == 0, command->argv[0]);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

static double RunOnce(struct Command* command, int input, off_t size) {
  int in[2], out[2];
  Check(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0, "pipe2");
  const double began = Now();
  const pid_t child = Start(command, in[0], out[1]);
  close(in[0]);
  close(out[1]);
  Feed(input, size, in[1]);
  close(in[1]);
  struct rusage usage;
  Check(wait4(child, &command->status, 0, &usage) == child, "wait4");
  const double microseconds = Now() - began;
  char answer[4096];
  command->printed = read(out[0], answer, sizeof answer);
  close(out[0]);
  if (usage.ru_maxrss > command->peak_kib) command->peak_kib = usage.ru_maxrss;
  return microseconds;
}

static int Compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static void Print(struct Command* command, int runs) {
  double* times = command->microseconds;
  qsort(times, (size_t)runs, sizeof *times, Compare);
  const int status = WIFEXITED(command->status) ? WEXITSTATUS(command->status) : -1;
  printf("%s\t%.1f\t%.1f\t%.1f\t%ld\t%d\t%zd\n", command->name, times[runs / 2], times[runs / 10],
         times[runs * 9 / 10], command->peak_kib, status, command->printed);
}

// Splits the arguments at ","; each comma becomes the NULL that ends an argv.
static int ReadCommands(char** arguments, struct Command* commands, int runs) {
  int count = 0;
  while (*arguments != NULL) {
    Check(count < kMaxCommands, "too many commands");
    struct Command* command = &commands[count++];
    *command = (struct Command){.name = arguments[0], .argv = arguments + 1};
    command->microseconds = calloc((size_t)runs, sizeof(double));
    Check(command->microseconds != NULL, "calloc");
    while (*arguments != NULL && strcmp(*arguments, ",") != 0) ++arguments;
    if (*arguments != NULL) *arguments++ = NULL;
  }
  return count;
}

int main(int argc, char** argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: spawn_bench RUNS INPUT NAME COMMAND [ARGUMENT...] [, NAME ...]...\n");
    return 2;
  }
  const int runs = atoi(argv[1]);
  const int input = open(argv[2], O_RDONLY | O_CLOEXEC);
  struct stat file;
  Check(runs > 0 && input >= 0 && fstat(input, &file) == 0, argv[2]);
  signal(SIGPIPE, SIG_IGN);
  static struct Command commands[kMaxCommands];
  const int count = ReadCommands(argv + 3, commands, runs);
  for (int run = -kWarmUp; run < runs; ++run) {
    for (int i = 0; i < count; ++i) {
      // Each round starts with a different command.
      struct Command* command = &commands[(i + run + kWarmUp) % count];
      const double microseconds = RunOnce(command, input, file.st_size);
      if (run >= 0) command->microseconds[run] = microseconds;
    }
  }
  for (int i = 0; i < count; ++i) Print(&commands[i], runs);
  return 0;
}
