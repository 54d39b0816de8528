// Attacks on a check that reads an argument before the kernel reads it again: while one thread
// repeats a call, another keeps switching the argument's meaning between something harmless and a
// protected name. If the check saw one and the kernel used the other, the protected name exists
// afterwards. They end at the first success, after ten thousand attempts, or after two seconds.
// Where the name is not protected at all, they must succeed: within a few thousand attempts on an
// idle machine, but on a busy one the other thread may hardly run, so they go on for longer.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "escape_probe.h"

enum { kAttempts = 10000, kSeconds = 2, kUnprotectedSeconds = 20, kFolderNumber = 60 };

static const char kHook[] = "sub/.git/hooks/pre-commit";

static atomic_int race_over;

typedef struct {
  void (*change)(void);        // switches between harmless and protected, in a loop
  int (*attempt)(void);        // makes the call, and undoes a harmless success
  const char* protected_name;  // must not be created
} Race;

static void* KeepChanging(void* change) {
  while (!atomic_load(&race_over)) ((const Race*)change)->change();
  return NULL;
}

static int IsProtected(const char* name) {
  const int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  if (file < 0) return 1;
  close(file);
  unlink(name);
  return 0;
}

static Verdict Run(const Race* race) {
  const int is_protected = IsProtected(race->protected_name);
  pthread_t thread;
  atomic_store(&race_over, 0);
  errno = pthread_create(&thread, NULL, KeepChanging, (void*)race);
  if (errno != 0) return Skipped("pthread_create: error %d", errno);
  long attempts = 0;
  long harmless = 0;
  const time_t end = time(NULL) + (is_protected ? kSeconds : kUnprotectedSeconds);
  int won = 0;
  while (!won && (!is_protected || attempts < kAttempts || harmless == 0) && time(NULL) <= end) {
    for (int i = 0; i < 50; ++i) harmless += race->attempt() == 0;
    attempts += 50;
    won = Exists(race->protected_name);
  }
  atomic_store(&race_over, 1);
  pthread_join(thread, NULL);
  if (won) return Open("after %ld attempts", attempts);
  if (harmless == 0) return Skipped("of %ld attempts not even a harmless one succeeded", attempts);
  return StoppedAs("%ld attempts, %ld of them went elsewhere", attempts, harmless);
}

// --- the text of a path -------------------------------------------------------------------------

// Changes one letter: "race/.mcp.json" or "race/xmcp.json".
static char path[64];
enum { kLetter = sizeof("race/") - 1 };

static void ChangeLetter(void) {
  volatile char* letter = &path[kLetter];
  *letter = 'x';
  for (volatile int i = 0; i < 40; ++i) {
  }
  *letter = '.';
  for (volatile int i = 0; i < 40; ++i) {
  }
}

static int AttemptCreat(void) {
  const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  if (file < 0) return -1;
  close(file);
  return unlink("race/xmcp.json");
}

static int AttemptMkdir(void) { return mkdir(path, 0755) == 0 ? rmdir("race/xhusky") : -1; }

static int AttemptRename(void) {
  return rename("race/ordinary", path) == 0 ? rename("race/xenvrc", "race/ordinary") : -1;
}

static int AttemptSymlink(void) {
  return symlink("ordinary", path) == 0 ? unlink("race/xenvrc") : -1;
}

static int AttemptLink(void) {
  return link("race/ordinary", path) == 0 ? unlink("race/xenvrc") : -1;
}

static Verdict RaceText(const char* protected_name, int (*attempt)(void)) {
  if (MakeFolder("race") != 0) return Stopped("mkdir in the project");
  if (PutMark("race/ordinary", O_CREAT) != 0) return Stopped("open in the project");
  strcpy(path, protected_name);
  const Race race = {ChangeLetter, attempt, protected_name};
  return Run(&race);
}

static Verdict RaceCreat(void) { return RaceText("race/.mcp.json", AttemptCreat); }
static Verdict RaceMkdir(void) { return RaceText("race/.husky", AttemptMkdir); }
static Verdict RaceRename(void) { return RaceText("race/.envrc", AttemptRename); }
static Verdict RaceSymlink(void) { return RaceText("race/.envrc", AttemptSymlink); }
static Verdict RaceLink(void) { return RaceText("race/.envrc", AttemptLink); }

// --- where a path leads -------------------------------------------------------------------------

static int CreateThenUnlink(int folder, const char* name, const char* harmless) {
  const int file = openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  if (file < 0) return -1;
  close(file);
  return unlink(harmless);
}

// Swaps race/p and race/q. One is a link to the hooks that the host created, the other a link to a
// harmless directory, or that directory itself.
static void ChangePlaces(void) {
  renameat2(AT_FDCWD, "race/p", AT_FDCWD, "race/q", RENAME_EXCHANGE);
}

static int harmless_folder;
static int protected_folder;

static int AttemptThroughPlace(void) {
  const int file = open("race/p/pre-commit", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  if (file < 0) return -1;
  close(file);
  return unlinkat(harmless_folder, "pre-commit", 0);
}

static int AttemptRenameThroughPlace(void) {
  if (rename("race/ordinary", "race/p/pre-commit") != 0) return -1;
  return renameat(harmless_folder, "pre-commit", AT_FDCWD, "race/ordinary");
}

static void ChangeDescriptor(void) {
  dup2(harmless_folder, kFolderNumber);
  dup2(protected_folder, kFolderNumber);
}

static int AttemptAtDescriptor(void) {
  return CreateThenUnlink(kFolderNumber, "pre-commit", "race/harmless/pre-commit");
}

static void ChangeCwd(void) {
  if (fchdir(harmless_folder) != 0 || fchdir(protected_folder) != 0) SleepMs(1);
}

static int AttemptAtCwd(void) {
  const int file = open("pre-commit", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  if (file < 0) return -1;
  close(file);
  return unlinkat(harmless_folder, "pre-commit", 0);
}

static int PrepareFolders(void) {
  if (MakeFolder("race") != 0) return -1;
  if (!Exists("race/p") && MakeFolder("race/harmless") != 0) return -1;
  const char* harmless = Exists("race/harmless") ? "race/harmless" : "race/p";
  harmless_folder = open(harmless, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  protected_folder = open("sub/.git/hooks", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return harmless_folder < 0 || protected_folder < 0 ? -1 : 0;
}

static Verdict RaceWhere(void (*change)(void), int (*attempt)(void)) {
  if (PrepareFolders() != 0) return Stopped("mkdir, open in the project");
  // Absolute, since one of the races changes the current directory.
  static char name[512];
  snprintf(name, sizeof(name), "%s", In("project", kHook));
  const Race race = {change, attempt, name};
  return Run(&race);
}

static Verdict RaceDirfd(void) { return RaceWhere(ChangeDescriptor, AttemptAtDescriptor); }
static Verdict RaceCwd(void) { return RaceWhere(ChangeCwd, AttemptAtCwd); }

static Verdict RacePlaces(int (*attempt)(void), int harmless_is_link) {
  if (MakeFolder("race") != 0 || MakeFolder("race/harmless") != 0) return Stopped("mkdir");
  if (PutMark("race/ordinary", O_CREAT) != 0) return Stopped("open in the project");
  if (rename("old-hooks-link", "race/q") != 0) return Stopped("rename of a link");
  if (harmless_is_link && symlink("harmless", "race/p") != 0) return Stopped("symlink");
  if (!harmless_is_link && rename("race/harmless", "race/p") != 0) return Stopped("rename");
  return RaceWhere(ChangePlaces, attempt);
}

static Verdict RaceLinks(void) { return RacePlaces(AttemptThroughPlace, 1); }
static Verdict RaceFolderLink(void) { return RacePlaces(AttemptThroughPlace, 0); }
static Verdict RaceLinksRename(void) { return RacePlaces(AttemptRenameThroughPlace, 1); }

// clang-format off
static const Row kRaces[] = {
    {"x-race-creat", RaceCreat},
    {"x-race-mkdir", RaceMkdir},
    {"x-race-rename", RaceRename},
    {"x-race-symlink", RaceSymlink},
    {"x-race-link", RaceLink},
    {"x-race-links", RaceLinks},
    {"x-race-folder-link", RaceFolderLink},
    {"x-race-links-rename", RaceLinksRename},
    {"x-race-dirfd", RaceDirfd},
    {"x-race-cwd", RaceCwd},
};
// clang-format on
const RowTable kRaceRows = TABLE(kRaces);
