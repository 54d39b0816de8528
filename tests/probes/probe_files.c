// Files outside the project: changing them in any way, and reading secrets.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "escape_probe.h"

// --- by name ------------------------------------------------------------------------------------

static Verdict WriteOutside(void) { return Append(In("outside", "write")); }

static Verdict CreateOutside(void) { return Create(In("outside", "created")); }

static Verdict TruncateOutside(void) {
  return Tried("truncate", truncate(In("outside", "truncate"), 0));
}

// O_RDONLY with O_TRUNC empties a file without opening it for writing.
static Verdict OpenTruncOutside(void) {
  return Tried("open(O_RDONLY|O_TRUNC)", open(In("outside", "open-trunc"), O_RDONLY | O_TRUNC));
}

static Verdict UnlinkOutside(void) { return Tried("unlink", unlink(In("outside", "unlink"))); }

static Verdict ChmodOutside(void) { return Tried("chmod", chmod(In("outside", "chmod"), 0777)); }

static Verdict UtimesOutside(void) {
  const struct timespec times[2] = {{1000000, 0}, {1000000, 0}};
  return Tried("utimensat", utimensat(AT_FDCWD, In("outside", "utimes"), times, 0));
}

static Verdict SetxattrOutside(void) {
  return Tried("setxattr", setxattr(In("outside", "setxattr"), "user.escaped", "1", 1, 0));
}

static Verdict RenameOut(void) {
  if (PutMark("goes-out", O_CREAT) != 0) return Stopped("open in the project");
  return Tried("rename", rename("goes-out", In("outside", "came-out")));
}

static Verdict RenameIn(void) {
  return Tried("rename", rename(In("outside", "rename"), "came-in"));
}

// --- by links -----------------------------------------------------------------------------------

// The link already existed.
static Verdict SymlinkWrite(void) { return Append("link-to-outside"); }

static Verdict SymlinkNewWrite(void) {
  if (symlink(In("outside", "symlink-new"), "new-link") != 0) return Stopped("symlink");
  return Append("new-link");
}

static Verdict HardlinkIn(void) {
  if (link(In("outside", "hardlink"), "hard-link") != 0) return Stopped("link");
  return Append("hard-link");
}

// The host created this one: the file has a name in the project and one outside.
static Verdict HardlinkOldWrite(void) { return Append("old-hard-link"); }

// Another process's root is a view of the files as that process sees them.
static Verdict ProcRootWrite(void) {
  const char* pids[] = {Fixture("victim_pid"), "1"};
  for (int i = 0; i < 2; ++i) {
    char path[600];
    snprintf(path, sizeof(path), "/proc/%s/root%s", pids[i], In("outside", "proc-root"));
    if (PutMark(path, O_APPEND) == 0) return Open("open(/proc/%s/root/...), write", pids[i]);
  }
  return Stopped("open(/proc/PID/root/...)");
}

// --- by inherited descriptors -------------------------------------------------------------------

static Verdict InheritedDirfd(void) {
  const int folder = (int)FixtureNumber("inherited_dirfd");
  return Tried("openat(inherited), write", PutMarkAt(folder, "dirfd", O_APPEND));
}

static Verdict InheritedFilefd(void) {
  return Tried("write(inherited)", write((int)FixtureNumber("inherited_filefd"), kMark, 8));
}

// --- directories that all processes share -------------------------------------------------------

static Verdict TmpVisible(void) { return Create(Fixture("tmp_file")); }

static Verdict DevshmVisible(void) { return Create(Fixture("devshm_file")); }

static Verdict HomeRcWrite(void) { return Append(In("home", ".bashrc")); }

// --- secrets ------------------------------------------------------------------------------------

// An empty file in its place does not count as the secret.
static Verdict ReadSecret(const char* path) {
  const int held = Holds(path, Fixture("secret"));
  if (held < 0) return Stopped("open, read");
  return held ? Open("open, read") : StoppedAs("read: something else is there");
}

static Verdict ReadSshKey(void) { return ReadSecret(In("home", ".ssh/id_rsa")); }
static Verdict ReadAwsCreds(void) { return ReadSecret(In("home", ".aws/credentials")); }
static Verdict ReadDotenvCwd(void) { return ReadSecret(".env"); }

static Verdict EnvSecret(void) {
  const char* value = getenv("AWS_SECRET_ACCESS_KEY");
  if (value == NULL) return StoppedAs("getenv: not set");
  return strcmp(value, Fixture("secret")) == 0 ? Open("getenv")
                                               : StoppedAs("getenv: another value");
}

static const Row kFiles[] = {
    {"write-outside", WriteOutside},
    {"create-outside", CreateOutside},
    {"truncate-outside", TruncateOutside},
    {"open-trunc-outside", OpenTruncOutside},
    {"unlink-outside", UnlinkOutside},
    {"chmod-outside", ChmodOutside},
    {"utimes-outside", UtimesOutside},
    {"setxattr-outside", SetxattrOutside},
    {"rename-out", RenameOut},
    {"rename-in", RenameIn},
    {"symlink-write", SymlinkWrite},
    {"symlink-new-write", SymlinkNewWrite},
    {"hardlink-in", HardlinkIn},
    {"hardlink-old-write", HardlinkOldWrite},
    {"proc-root-write", ProcRootWrite},
    {"inherited-dirfd", InheritedDirfd},
    {"inherited-filefd", InheritedFilefd},
    {"tmp-visible", TmpVisible},
    {"devshm-visible", DevshmVisible},
    {"home-rc-write", HomeRcWrite},
};
const RowTable kFileRows = TABLE(kFiles);

static const Row kSecrets[] = {
    {"read-ssh-key", ReadSshKey},
    {"read-aws-creds", ReadAwsCreds},
    {"read-dotenv-cwd", ReadDotenvCwd},
    {"env-secret", EnvSecret},
};
const RowTable kSecretRows = TABLE(kSecrets);
