// Writes 5,000 small files in 500 directories, a tenth of them under another name first. Prints the
// milliseconds that it took.
//
//   write_files DIRECTORY    (which does not exist yet)
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { kFolders = 500, kFiles = 10, kBytes = 4000 };

static void Check(int ok, const char* what) {
  if (ok) return;
  perror(what);
  exit(1);
}

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void WriteFile(const char* name, const char* bytes, size_t size) {
  const int file = open(name, O_WRONLY | O_CREAT | O_EXCL, 0644);
  Check(file >= 0, name);
  Check(write(file, bytes, size) == (ssize_t)size, name);
  close(file);
}

int main(int argc, char** argv) {
  static char bytes[kBytes];
  if (argc != 2) return 2;
  for (int i = 0; i < kBytes; ++i) bytes[i] = (char)(i % 64 == 63 ? '\n' : 'a' + i % 26);
  const double begun = Now();
  Check(mkdir(argv[1], 0755) == 0, argv[1]);
  for (int i = 0; i < kFolders; ++i) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/pkg%03d", argv[1], i);
    Check(mkdir(folder, 0755) == 0, folder);
    for (int k = 0; k < kFiles; ++k) {
      char name[4200];
      snprintf(name, sizeof name, "%s/file%d", folder, k);
      const size_t size = (size_t)(100 + (i * kFiles + k) * 37 % (kBytes - 100));
      if (k > 0) {
        WriteFile(name, bytes, size);
        continue;
      }
      char first[4300];
      snprintf(first, sizeof first, "%s.tmp", name);
      WriteFile(first, bytes, size);
      Check(rename(first, name) == 0, name);
    }
  }
  printf("%.3f\n", Now() - begun);
  return 0;
}
