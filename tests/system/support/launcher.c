// Starts a program with limits or measures its peak, from a process so small that it does not
// affect the figures.
//
//   launcher limit NUMBER VALUE COMMAND...   with setrlimit(NUMBER, VALUE), soft and hard
//   launcher peak FILE COMMAND...            and writes its peak resident size in KiB to FILE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int Fail(const char* what) {
  perror(what);
  return 125;
}

static int Limit(char** argv) {
  const rlim_t value = strtoull(argv[1], NULL, 10);
  const struct rlimit limit = {value, value};
  if (setrlimit(atoi(argv[0]), &limit) != 0) return Fail("setrlimit");
  execv(argv[2], argv + 2);
  return Fail(argv[2]);
}

static int Peak(char** argv) {
  const pid_t child = fork();
  if (child < 0) return Fail("fork");
  if (child == 0) {
    execv(argv[1], argv + 1);
    _exit(Fail(argv[1]));
  }
  int status = 0;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child) return Fail("wait4");
  FILE* file = fopen(argv[0], "w");
  if (file == NULL || fprintf(file, "%ld\n", usage.ru_maxrss) < 0 || fclose(file) != 0) {
    return Fail(argv[0]);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char** argv) {
  if (argc > 4 && strcmp(argv[1], "limit") == 0) return Limit(argv + 2);
  if (argc > 3 && strcmp(argv[1], "peak") == 0) return Peak(argv + 2);
  fprintf(stderr, "usage: launcher limit NUMBER VALUE COMMAND... | peak FILE COMMAND...\n");
  return 125;
}
