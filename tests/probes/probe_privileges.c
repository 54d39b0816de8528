// Rights, mounts and namespaces.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escape_probe.h"
#include "kernel_abi.h"

static Verdict NoNewPrivsOff(void) {
  const int set = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
  return set == 0 ? Open("prctl(PR_GET_NO_NEW_PRIVS): 0") : StoppedAs("prctl: it is set");
}

static Verdict CapsHeld(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
  if (syscall(SYS_capget, &header, data) != 0) return Stopped("capget");
  if ((data[0].permitted | data[1].permitted) == 0) return StoppedAs("capget: none");
  return Open("capget: %08x%08x", data[1].permitted, data[0].permitted);
}

static Verdict Setuid0(void) {
  if (getuid() == 0) return Skipped("the user is 0 already");
  return Tried("setuid(0)", setuid(0));
}

// --- mounts -------------------------------------------------------------------------------------

static Verdict Mount(void) { return Tried("mount", mount("none", "mnt", "tmpfs", 0, NULL)); }

static Verdict MountNewApi(void) {
  const long context = syscall(SYS_fsopen, "tmpfs", 0);
  if (context < 0) return Stopped("fsopen");
  if (syscall(SYS_fsconfig, context, kFsconfigCreate, NULL, NULL, 0) != 0) {
    return Stopped("fsconfig");
  }
  const long made = syscall(SYS_fsmount, context, 0, 0);
  if (made < 0) return Stopped("fsmount");
  return Tried("move_mount",
               syscall(SYS_move_mount, made, "", AT_FDCWD, "mnt", kMoveMountEmptyFrom));
}

// Cuts the path to the mount point that contains it: the topmost parent with the same statvfs() id
// and flags.
static void MountPointOf(char* path) {
  struct statvfs about, above;
  while (strcmp(path, "/") != 0 && statvfs(path, &about) == 0) {
    char parent[512];
    snprintf(parent, sizeof(parent), "%s", path);
    char* slash = strrchr(parent, '/');
    slash[slash == parent] = 0;
    if (statvfs(parent, &above) != 0 || above.f_fsid != about.f_fsid ||
        above.f_flag != about.f_flag) {
      return;
    }
    strcpy(path, parent);
  }
}

// Only clears "read only", so it changes nothing if that is not set.
static Verdict RemountRw(void) {
  char path[512];
  snprintf(path, sizeof(path), "%s", Fixture("outside"));
  MountPointOf(path);
  const struct MountAttributes writable = {.clear = kMountAttrReadOnly};
  if (syscall(SYS_mount_setattr, AT_FDCWD, path, 0, &writable, sizeof(writable)) == 0) {
    return Open("mount_setattr(%s)", path);
  }
  if (mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV, NULL) == 0) {
    return Open("mount(%s, MS_REMOUNT)", path);
  }
  return Stopped("mount_setattr, mount(MS_REMOUNT)");
}

// MNT_EXPIRE needs the same rights as unmounting, but keeps a mount that is in use.
static Verdict Umount(void) {
  if (umount2("/proc", MNT_EXPIRE) == 0 || errno == EAGAIN || errno == EBUSY) {
    return Open("umount2(/proc, MNT_EXPIRE)");
  }
  return Stopped("umount2(/proc, MNT_EXPIRE)");
}

// --- namespaces ---------------------------------------------------------------------------------

static Verdict NewUserns(void) { return Tried("unshare(CLONE_NEWUSER)", unshare(CLONE_NEWUSER)); }

// The new namespace grants its rights without a user mapping; mounting needs nothing else.
static Verdict UsernsMount(void) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return Stopped("unshare");
  return Tried("unshare, mount", mount("none", "mnt", "tmpfs", 0, NULL));
}

static Verdict Clone3Userns(void) {
  struct CloneArguments arguments = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
  const long child = syscall(SYS_clone3, &arguments, sizeof(arguments));
  if (child == 0) _exit(0);
  if (child < 0) return Stopped("clone3(CLONE_NEWUSER)");
  WaitFor((pid_t)child);
  return Open("clone3(CLONE_NEWUSER)");
}

static Verdict Chroot(void) { return Tried("chroot", chroot("mnt")); }

static const Row kPrivileges[] = {
    {"no-new-privs-off", NoNewPrivsOff},
    {"caps-held", CapsHeld},
    {"setuid-0", Setuid0},
    {"mount", Mount},
    {"mount-new-api", MountNewApi},
    {"remount-rw", RemountRw},
    {"umount", Umount},
    {"new-userns", NewUserns},
    {"userns-mount", UsernsMount},
    {"clone3-userns", Clone3Userns},
    {"chroot", Chroot},
};
const RowTable kPrivilegeRows = TABLE(kPrivileges);
