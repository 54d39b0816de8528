// Helpers of several rows.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "escape_probe.h"

const char kMark[] = "escaped\n";

const char* In(const char* folder, const char* name) {
  static char paths[4][512];
  static int next;
  next = (next + 1) % 4;
  snprintf(paths[next], sizeof(paths[next]), "%s/%s", Fixture(folder), name);
  return paths[next];
}

int PutMarkAt(int folder, const char* name, int flags) {
  const int file = openat(folder, name, O_WRONLY | O_CLOEXEC | flags, 0755);
  if (file < 0) return -1;
  const ssize_t length = sizeof(kMark) - 1;
  const int written = write(file, kMark, length) == length ? 0 : -1;
  close(file);
  return written;
}

int PutMark(const char* path, int flags) { return PutMarkAt(AT_FDCWD, path, flags); }

Verdict Append(const char* path) { return Tried("open, write", PutMark(path, O_APPEND)); }

Verdict Create(const char* path) { return Tried("open(O_CREAT), write", PutMark(path, O_CREAT)); }

int MakeFolder(const char* path) { return mkdir(path, 0755) == 0 || errno == EEXIST ? 0 : -1; }

int MakeRepository(const char* path) {
  char name[300];
  static const char* const kFolders[] = {"", "/hooks", "/objects", "/refs"};
  for (size_t i = 0; i < sizeof(kFolders) / sizeof(kFolders[0]); ++i) {
    snprintf(name, sizeof(name), "%s%s", path, kFolders[i]);
    if (MakeFolder(name) != 0) return -1;
  }
  static const char* const kFiles[] = {"HEAD", "config", "hooks/pre-commit"};
  for (size_t i = 0; i < sizeof(kFiles) / sizeof(kFiles[0]); ++i) {
    snprintf(name, sizeof(name), "%s/%s", path, kFiles[i]);
    if (PutMark(name, O_CREAT) != 0) return -1;
  }
  return 0;
}

int Exists(const char* path) {
  struct stat about;
  return lstat(path, &about) == 0;
}

int Holds(const char* path, const char* text) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char content[8192];
  const ssize_t length = read(file, content, sizeof(content));
  close(file);
  if (length < 0) return -1;
  return memmem(content, (size_t)length, text, strlen(text)) != NULL;
}

int CopySelf(int to) {
  const int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (self < 0) return -1;
  static char block[1 << 16];
  ssize_t length = 0;
  while ((length = read(self, block, sizeof(block))) > 0) {
    if (write(to, block, (size_t)length) != length) {
      length = -1;
      break;
    }
  }
  close(self);
  return length < 0 ? -1 : 0;
}

int WaitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return status;
}

void SleepMs(long milliseconds) {
  struct timespec rest = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
  }
}
