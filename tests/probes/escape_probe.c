// Runs the rows, each in a child with a time limit, and prints the results.
#define _GNU_SOURCE
#include "escape_probe.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Tables in listing order.
static const RowTable* const kTables[] = {
    &kFileRows,      &kNameRows,   &kSecretRows,         &kProcessRows,       &kNetworkRows,
    &kPrivilegeRows, &kKernelRows, &kSharedRows,         &kFunctionRows,      &kMoreNameRows,
    &kMoreWayRows,   &kRaceRows,   &kMoreFunctionRows,   &kMoreSemanticsRows, &kOwnTreeRows,
    &kStreamRows,    &kDeviceRows, &kDeviceFunctionRows, &kSignalRows};
enum { kTableCount = sizeof(kTables) / sizeof(kTables[0]), kRowMs = 20000, kMaxKeys = 64 };

static const char* const kWords[] = {"open", "stopped", "works", "broken", "skipped"};

// --- results of the child, in shared memory -----------------------------------------------------

typedef struct {
  volatile int said;
  Verdict verdict;
  char detail[200];
} Answer;

static Answer* answer;

static Verdict Say(Verdict verdict, const char* format, va_list arguments) {
  vsnprintf(answer->detail, sizeof(answer->detail), format, arguments);
  for (char* letter = answer->detail; *letter != 0; ++letter) {
    if (*letter == '\n' || *letter == '\t') *letter = ' ';
  }
  return verdict;
}

#define SAY(verdict)                                    \
  va_list arguments;                                    \
  va_start(arguments, format);                          \
  const Verdict said = Say(verdict, format, arguments); \
  va_end(arguments);                                    \
  return said

Verdict Open(const char* format, ...) { SAY(kOpen); }
Verdict StoppedAs(const char* format, ...) { SAY(kStopped); }
Verdict BrokenAs(const char* format, ...) { SAY(kBroken); }
Verdict Skipped(const char* format, ...) { SAY(kSkipped); }

static const char* ErrorName(void) {
  const char* name = strerrorname_np(errno);
  return name == NULL ? "unknown error" : name;
}

Verdict Stopped(const char* call) { return StoppedAs("%s: %s", call, ErrorName()); }
Verdict Broken(const char* call) { return BrokenAs("%s: %s", call, ErrorName()); }

Verdict Works(void) {
  answer->detail[0] = 0;
  return kWorks;
}

Verdict Tried(const char* call, long result) {
  return result == -1 ? Stopped(call) : Open("%s", call);
}

static void Tell(Verdict verdict) {
  answer->verdict = verdict;
  answer->said = 1;
  _exit(0);
}

// --- the fixture --------------------------------------------------------------------------------

static struct {
  char key[40];
  char value[400];
} fixture[kMaxKeys];
static int fixture_count;

static int ReadFixture(const char* path) {
  FILE* file = fopen(path, "re");
  if (file == NULL) return -1;
  char line[sizeof(fixture[0])];
  while (fixture_count < kMaxKeys && fgets(line, sizeof(line), file) != NULL) {
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%39[^=]=%399[^\n]", fixture[fixture_count].key,
               fixture[fixture_count].value) == 2) {
      ++fixture_count;
    }
  }
  fclose(file);
  return 0;
}

const char* Fixture(const char* key) {
  for (int i = 0; i < fixture_count; ++i) {
    if (strcmp(fixture[i].key, key) == 0) return fixture[i].value;
  }
  Tell(Skipped("the fixture has no %s", key));
  return "";
}

long FixtureNumber(const char* key) { return strtol(Fixture(key), NULL, 10); }

// --- rows ---------------------------------------------------------------------------------------

static const Row* Find(const char* name) {
  for (int table = 0; table < kTableCount; ++table) {
    for (size_t i = 0; i < kTables[table]->count; ++i) {
      if (strcmp(kTables[table]->rows[i].name, name) == 0) return &kTables[table]->rows[i];
    }
  }
  return NULL;
}

static long NowMs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// The child leads its own process group, so that all its processes are killed with it.
static int WaitAtMost(long limit, pid_t child, int* status) {
  const long end = NowMs() + limit;
  while (NowMs() < end) {
    const pid_t ended = waitpid(child, status, WNOHANG);
    if (ended != 0) return ended == child ? 0 : -1;
    SleepMs(1);
  }
  kill(-child, SIGKILL);
  kill(child, SIGKILL);
  waitpid(child, status, 0);
  return -1;
}

static void Print(const Row* row, Verdict verdict) {
  printf("%s\t%s\t%s\n", row->name, kWords[verdict], answer->detail);
  fflush(stdout);
}

static void RunRow(const Row* row) {
  const int function = strncmp(row->name, "fn-", 3) == 0;
  memset(answer, 0, sizeof(*answer));
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    Tell(row->run());
  }
  if (child < 0) {
    Print(row, function ? Broken("fork") : Skipped("fork: %s", ErrorName()));
    return;
  }
  setpgid(child, child);
  int status = 0;
  const int waited = WaitAtMost(kRowMs, child, &status);
  kill(-child, SIGKILL);
  Verdict verdict = answer->verdict;
  if (waited != 0) {
    verdict = function ? BrokenAs("no answer in time") : StoppedAs("no answer in time");
  } else if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    verdict = StoppedAs("killed by SIG%s", name == NULL ? "?" : name);
    if (function) verdict = kBroken;
  } else if (!answer->said) {
    verdict = StoppedAs("ended with %d", WEXITSTATUS(status));
    if (function) verdict = kBroken;
  }
  Print(row, verdict);
}

static void ForEachRow(void (*act)(const Row*)) {
  for (int table = 0; table < kTableCount; ++table) {
    for (size_t i = 0; i < kTables[table]->count; ++i) act(&kTables[table]->rows[i]);
  }
}

static void PrintName(const Row* row) { puts(row->name); }

static int RunNamed(char** names) {
  for (; *names != NULL; ++names) {
    const Row* row = Find(*names);
    if (row == NULL) {
      fprintf(stderr, "escape_probe: there is no row \"%s\"\n", *names);
      return 2;
    }
    RunRow(row);
  }
  return 0;
}

int main(int argc, char** argv) {
  // Some rows start copies of this program to see if that works.
  if (argc == 2 && strcmp(argv[1], "ran") == 0) return 42;
  if (argc == 2 && strcmp(argv[1], "list") == 0) {
    ForEachRow(PrintName);
    return 0;
  }
  if (argc < 2) {
    fprintf(stderr, "usage: escape_probe list | escape_probe FIXTURE_FILE [ROW...]\n");
    return 2;
  }
  answer = mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (answer == MAP_FAILED || ReadFixture(argv[1]) != 0) {
    perror(argv[1]);
    return 2;
  }
  if (argc > 2) return RunNamed(argv + 2);
  ForEachRow(RunRow);
  return 0;
}
