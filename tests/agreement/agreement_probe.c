// Tries to read and write the paths on standard input, one line each: a letter, a space, a path.
// Undoes what succeeds. Prints one line each: "0" or the error number, and " left" if the change
// could not be undone.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int left_behind;

static void Undo(int result) { left_behind |= result != 0; }

static int Exists(const char* path) {
  struct stat about;
  return lstat(path, &about) == 0;
}

static int Open(const char* path, int flags) {
  const int file = open(path, flags | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  close(file);
  return 0;
}

static int Result(int result) { return result == 0 ? 0 : errno; }

// Removes a file or directory that was created; passes `code` on.
static int Removed(int code, const char* path, int flags) {
  if (code == 0) Undo(unlinkat(AT_FDCWD, path, flags));
  return code;
}

static int Write(const char* path) {
  const int is_new = access(path, F_OK) != 0;
  const int code = Open(path, O_WRONLY | O_CREAT);
  if (code != 0 || !is_new) return code;
  char end[PATH_MAX];  // the real path, through a dangling link
  if (realpath(path, end) == NULL) {
    left_behind = 1;
    return 0;
  }
  return Removed(0, end, 0);
}

static int Replace(const char* path) {
  const int code = Result(unlink(path));
  if (code == 0) Undo(Open(path, O_WRONLY | O_CREAT | O_EXCL));
  return code;
}

// Renames or links a new file beside `path` to that name. Returns -1 if it cannot create the file.
static int Move(const char* path, int is_link) {
  char other[PATH_MAX];
  const char* slash = strrchr(path, '/');
  snprintf(other, sizeof other, "%.*s/moved.c", (int)(slash - path), path);
  if (Exists(other) || Open(other, O_WRONLY | O_CREAT | O_EXCL) != 0) return -1;
  const int was_there = Exists(path);
  const int code = Result(is_link ? link(other, path) : rename(other, path));
  if (code == 0 && !was_there) Undo(unlink(path));
  if (code != 0 || is_link) Undo(unlink(other));
  return code;
}

static int Try(char what, const char* path) {
  switch (what) {
    case 'r':
      return Open(path, O_RDONLY);
    case 'w':
      return Write(path);
    case 't':
      return Result(truncate(path, 0));
    case 'u':
      return Replace(path);
    case 'd':
      return Removed(Result(mkdir(path, 0700)), path, AT_REMOVEDIR);
    case 's':
      return Removed(Result(symlink("nothing", path)), path, 0);
    case 'f':
      return Removed(Result(mknod(path, S_IFIFO | 0600, 0)), path, 0);
    case 'n':
      return Move(path, 0);
    case 'l':
      return Move(path, 1);
    default:
      return EINVAL;
  }
}

enum { kMostFolders = 64 };

// Creates missing parent directories, as a tool does before it writes a file. `made` receives the
// ends of their names.
static int MakeFolders(char* path, size_t* made, size_t* count) {
  int code = 0;
  for (size_t i = 1; path[i] != 0 && code == 0; ++i) {
    if (path[i] != '/') continue;
    path[i] = 0;
    if (access(path, F_OK) != 0) {
      code = *count == kMostFolders ? ENAMETOOLONG : Result(mkdir(path, 0700));
      if (code == 0) made[(*count)++] = i;
    }
    path[i] = '/';
  }
  return code;
}

static int TryBelow(char what, char* path) {
  size_t made[kMostFolders];
  size_t count = 0;
  int code = what == 'r' ? 0 : MakeFolders(path, made, &count);
  if (code == 0) code = Try(what, path);
  while (count > 0) {
    const size_t end = made[--count];
    path[end] = 0;
    Undo(rmdir(path));
    path[end] = '/';
  }
  return code;
}

int main(void) {
  char line[PATH_MAX + 16];
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = 0;
    left_behind = 0;
    const int code = TryBelow(line[0], line + 2);
    printf("%d%s\n", code, left_behind ? " left" : "");
  }
  return fflush(stdout) == 0 ? 0 : 1;
}
