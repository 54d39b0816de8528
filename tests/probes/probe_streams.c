// The standard streams, which were opened outside: in rows x-stream-*, standard input is a readable
// file outside and standard error one that can be appended to; in rows x-pipe-*, both are pipes
// that other processes use as well. Also set-user-ID, which takes effect when a user outside runs
// the file.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "escape_probe.h"
#include "kernel_abi.h"

static const struct timespec kYoung[2] = {{1600000000, 0}, {1600000000, 0}};

// --- a file as a stream --------------------------------------------------------------------------

static Verdict StreamChmod(void) { return Tried("fchmod", fchmod(0, 0644)); }
static Verdict StreamChmodProc(void) { return Tried("chmod", chmod("/proc/self/fd/0", 0644)); }
static Verdict StreamChmodCopy(void) {
  const int copy = dup(0);
  return Tried("fchmod", fchmod(copy, 0644));
}
static Verdict StreamChmodEmpty(void) {
  return Tried("fchmodat2", syscall(SYS_fchmodat2, 0, "", 0644, AT_EMPTY_PATH));
}
static Verdict StreamTimes(void) { return Tried("futimens", futimens(0, kYoung)); }
static Verdict StreamTimesProc(void) {
  return Tried("utimensat", utimensat(AT_FDCWD, "/proc/self/fd/0", kYoung, 0));
}
static Verdict StreamTimesEmpty(void) {
  return Tried("utimensat", syscall(SYS_utimensat, 0, "", kYoung, AT_EMPTY_PATH));
}
static Verdict StreamXattr(void) {
  return Tried("fsetxattr", fsetxattr(0, "user.escaped", "1", 1, 0));
}
static Verdict StreamXattrProc(void) {
  return Tried("setxattr", setxattr("/proc/self/fd/0", "user.escaped", "1", 1, 0));
}
// The owner stays the same; the change time does not.
static Verdict StreamOwner(void) { return Tried("fchown", fchown(0, geteuid(), getegid())); }
static Verdict StreamOwnerProc(void) {
  return Tried("chown", chown("/proc/self/fd/0", geteuid(), getegid()));
}
static Verdict StreamOwnerEmpty(void) {
  return Tried("fchownat", fchownat(0, "", geteuid(), getegid(), AT_EMPTY_PATH));
}
static Verdict StreamFlags(void) {
  int flags = 0;
  if (ioctl(0, FS_IOC_GETFLAGS, &flags) != 0)
    return Skipped("FS_IOC_GETFLAGS: %s", strerror(errno));
  flags |= FS_NODUMP_FL;
  return Tried("FS_IOC_SETFLAGS", ioctl(0, FS_IOC_SETFLAGS, &flags));
}
static Verdict StreamWrite(void) { return Append("/proc/self/fd/0"); }
static Verdict StreamTruncate(void) { return Tried("truncate", truncate("/proc/self/fd/0", 0)); }
static Verdict StreamOpenTruncate(void) {
  return Tried("open", open("/dev/stdin", O_RDONLY | O_TRUNC));
}
static Verdict StreamSetUser(void) { return Tried("fchmod", fchmod(2, 04755)); }
static Verdict StreamDirectory(void) {
  const int parent = openat(0, "..", O_PATH | O_DIRECTORY);
  if (parent < 0) return Stopped("openat");
  return Tried("openat", PutMarkAt(parent, "outside/write", 0));
}

// --- a pipe as a stream --------------------------------------------------------------------------

// Other processes read from standard input's pipe.
static Verdict PipeWrite(void) { return Append("/proc/self/fd/0"); }

// Other processes have written into standard error's pipe.
static Verdict PipeRead(void) {
  const int pipe = open("/proc/self/fd/2", O_RDONLY | O_NONBLOCK);
  if (pipe < 0) return Stopped("open");
  char text[200] = "";
  if (read(pipe, text, sizeof(text) - 1) <= 0) return StoppedAs("nothing to read");
  return strstr(text, Fixture("secret")) != NULL ? Open("read") : StoppedAs("another text");
}

static Verdict FifoOutsideWrite(void) {
  const int fifo = open(In("outside", "fifo"), O_WRONLY | O_NONBLOCK);
  if (fifo < 0) return Stopped("open");
  return Tried("write", write(fifo, kMark, strlen(kMark)));
}

// --- set-user-ID and set-group-ID ----------------------------------------------------------------

static int NewFile(void) { return open("set-id", O_WRONLY | O_CREAT | O_EXCL, 0755); }

static Verdict SetIdChmod(void) {
  close(NewFile());
  return Tried("chmod", chmod("set-id", 04755));
}
static Verdict SetIdFchmod(void) { return Tried("fchmod", fchmod(NewFile(), 06755)); }
static Verdict SetIdFchmodat2(void) {
  close(NewFile());
  return Tried("fchmodat2", syscall(SYS_fchmodat2, AT_FDCWD, "set-id", 04755, 0));
}
static Verdict SetGroupId(void) {
  close(NewFile());
  return Tried("chmod", chmod("set-id", 02755));
}
static Verdict SetIdOpen(void) {
  return Tried("open", open("set-id", O_WRONLY | O_CREAT | O_EXCL, 04755));
}
static Verdict SetIdCreat(void) {
#ifdef SYS_creat
  return Tried("creat", syscall(SYS_creat, "set-id", 04755));
#else
  return Tried("creat", creat("set-id", 04755));  // openat(2) on architectures without the call
#endif
}
static Verdict SetIdMknod(void) { return Tried("mknod", mknod("set-id", S_IFREG | 04755, 0)); }
static Verdict SetIdUnnamed(void) {
  const int file = open(".", O_TMPFILE | O_WRONLY, 04755);
  if (file < 0) return Skipped("O_TMPFILE: %s", strerror(errno));
  char name[40];
  snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
  return Tried("linkat", linkat(AT_FDCWD, name, AT_FDCWD, "set-id", AT_SYMLINK_FOLLOW));
}

// --- devices, owned by root ---------------------------------------------------------------------

static Verdict DeviceChmod(void) {
  struct stat facts;
  if (stat("/dev/full", &facts) != 0) return Stopped("stat");
  return Tried("chmod", chmod("/dev/full", facts.st_mode & 07777));
}
static Verdict DeviceTimes(void) {
  struct stat facts;
  if (stat("/dev/full", &facts) != 0) return Stopped("stat");
  const struct timespec same[2] = {facts.st_atim, facts.st_mtim};
  return Tried("utimensat", utimensat(AT_FDCWD, "/dev/full", same, 0));
}

// Reading and writing still work.
static Verdict DeviceUse(void) {
  char byte = 1;
  const int zero = open("/dev/zero", O_RDONLY);
  if (zero < 0 || read(zero, &byte, 1) != 1 || byte != 0) return Broken("/dev/zero");
  const int null = open("/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (null < 0 || write(null, "x", 1) != 1) return Broken("/dev/null");
  const int full = open("/dev/full", O_RDWR);
  if (full < 0 || write(full, "x", 1) != -1 || errno != ENOSPC) return Broken("/dev/full");
  return Works();
}

static const Row kStreams[] = {
    {"x-stream-chmod", StreamChmod},
    {"x-stream-chmod-proc", StreamChmodProc},
    {"x-stream-chmod-copy", StreamChmodCopy},
    {"x-stream-chmod-empty", StreamChmodEmpty},
    {"x-stream-times", StreamTimes},
    {"x-stream-times-proc", StreamTimesProc},
    {"x-stream-times-empty", StreamTimesEmpty},
    {"x-stream-xattr", StreamXattr},
    {"x-stream-xattr-proc", StreamXattrProc},
    {"x-stream-owner", StreamOwner},
    {"x-stream-owner-proc", StreamOwnerProc},
    {"x-stream-owner-empty", StreamOwnerEmpty},
    {"x-stream-flags", StreamFlags},
    {"x-stream-write", StreamWrite},
    {"x-stream-truncate", StreamTruncate},
    {"x-stream-open-truncate", StreamOpenTruncate},
    {"x-stream-set-user", StreamSetUser},
    {"x-stream-directory", StreamDirectory},
    {"x-pipe-write", PipeWrite},
    {"x-pipe-read", PipeRead},
    {"x-fifo-outside-write", FifoOutsideWrite},
    {"x-set-id-chmod", SetIdChmod},
    {"x-set-id-fchmod", SetIdFchmod},
    {"x-set-id-fchmodat2", SetIdFchmodat2},
    {"x-set-group-id", SetGroupId},
    {"x-set-id-open", SetIdOpen},
    {"x-set-id-creat", SetIdCreat},
    {"x-set-id-mknod", SetIdMknod},
    {"x-set-id-unnamed", SetIdUnnamed},
};
const RowTable kStreamRows = TABLE(kStreams);

static const Row kDevices[] = {
    {"x-device-chmod", DeviceChmod},
    {"x-device-times", DeviceTimes},
};
const RowTable kDeviceRows = TABLE(kDevices);

static const Row kDeviceFunctions[] = {
    {"fn-x-devices", DeviceUse},
};
const RowTable kDeviceFunctionRows = TABLE(kDeviceFunctions);
