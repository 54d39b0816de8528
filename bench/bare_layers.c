// Baseline for `ringfence run`: sets up the same layers for one project directory and executes a
// command. It reads no policy, plans nothing, explains nothing and tests nothing. Paths are fixed,
// and errors show only in the exit status; do not use it as a sandbox.
//
//   bare_layers full|landlock FOLDER [hide PATH | seal PATH]... -- COMMAND [ARGUMENT...]
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define constexpr static const
typedef struct sock_filter sock_filter;
#include "seccomp_programs.inc"

static void Check(int line, long result) {
  if (result >= 0) return;
  dprintf(2, "bare_layers.c:%d: %s\n", line, strerror(errno));
  _exit(125);
}
#define DO(call) Check(__LINE__, (long)(call))

static void WriteText(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  DO(file);
  DO(write(file, text, strlen(text)));
  close(file);
}

static void MapIdentity(unsigned user, unsigned group) {
  char text[64];
  WriteText("/proc/self/setgroups", "deny");
  snprintf(text, sizeof text, "%u %u 1\n", group, group);
  WriteText("/proc/self/gid_map", text);
  snprintf(text, sizeof text, "%u %u 1\n", user, user);
  WriteText("/proc/self/uid_map", text);
}

static int Clone(const char* path, uint64_t attributes) {
  const int tree = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  DO(tree);
  struct mount_attr set = {.attr_set = attributes, .propagation = MS_PRIVATE};
  if (attributes != 0) DO(mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &set, sizeof set));
  return tree;
}

static void Attach(int tree, const char* path) {
  DO(move_mount(tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH));
  close(tree);
}

static void MakeFolders(char* path) {
  for (char* slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0755);
    *slash = '/';
  }
  mkdir(path, 0755);
}

static void View(char* folder, char** extra) {
  static const char* const kDevices[] = {"/dev/null", "/dev/zero",   "/dev/full",
                                         "/dev/tty",  "/dev/random", "/dev/urandom"};
  int devices[6];
  const int project = Clone(folder, MOUNT_ATTR_NOSUID);
  for (int i = 0; i < 6; ++i) devices[i] = Clone(kDevices[i], 0);
  struct mount_attr sealed = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID,
                              .propagation = MS_PRIVATE};
  DO(mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &sealed, sizeof sealed));
  DO(mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"));
  DO(mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755"));
  DO(mkdir("/run/user", 0755));
  DO(mount("tmpfs", "/dev", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755"));
  DO(mkdir("/dev/pts", 0755));
  DO(mkdir("/dev/shm", 0755));
  for (int i = 0; i < 6; ++i) {
    DO(mknod(kDevices[i], S_IFREG | 0644, 0));
    Attach(devices[i], kDevices[i]);
  }
  DO(symlink("/proc/self/fd", "/dev/fd"));
  DO(symlink("pts/ptmx", "/dev/ptmx"));
  DO(mkdir("/dev/cover", 0));
  DO(mknod("/dev/cover.file", S_IFREG, 0));
  DO(mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"));
  DO(mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666"));
  struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
  DO(mount_setattr(AT_FDCWD, "/dev", 0, &read_only, sizeof read_only));
  if (strncmp(folder, "/tmp/", 5) == 0) MakeFolders(folder);
  Attach(project, folder);
  for (; *extra != NULL && strcmp(*extra, "--") != 0; extra += 2) {
    struct stat facts;
    DO(stat(extra[1], &facts));
    const int is_folder = S_ISDIR(facts.st_mode);
    if (strcmp(*extra, "seal") == 0) {
      Attach(Clone(extra[1], MOUNT_ATTR_RDONLY), extra[1]);
    } else {
      Attach(Clone(is_folder ? "/dev/cover" : "/dev/cover.file", 0), extra[1]);
    }
  }
  DO(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL));
}

static void RaiseLoopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  DO(ioctl(fd, SIOCSIFFLAGS, &request));
  close(fd);
}

static void DropCapabilities(uint32_t kept) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {{kept, kept, 0}};
  DO(syscall(SYS_capset, &header, data));
}

static void Restrict(int is_full, const char* folder) {
  static const uint64_t kRead = 13, kAll = 0xFFFF, kDevice = 0xC002;
  struct {
    uint64_t files, network, scopes;
  } handled = {kAll, 0, 3};
  const int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  DO(rules);
  const struct {
    const char* path;
    uint64_t rights;
  } kPlaces[] = {{"/", kRead},         {"/dev", kDevice},   {"/proc", kDevice}, {folder, kAll},
                 {"/dev/shm", kAll}, {"/run/user", kAll}, {"/tmp", kAll}};
  for (int i = 0; i < (is_full ? 7 : 4); ++i) {
    struct landlock_path_beneath_attr rule = {
        kPlaces[i].rights, open(kPlaces[i].path, O_PATH | O_CLOEXEC)};
    DO(syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0));
    close(rule.parent_fd);
  }
  DO(syscall(SYS_landlock_restrict_self, rules, 0));
  close(rules);
}

static int Filter(const sock_filter* filter, size_t count, unsigned flags) {
  struct sock_fprog program = {(unsigned short)count, (sock_filter*)filter};
  const int result = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  DO(result);
  return result;
}
#define FILTER(filter, flags) Filter(filter, sizeof filter / sizeof filter[0], flags)

static void PassDescriptor(int socket, int* fd, int sends) {
  char byte = 0;
  struct iovec part = {&byte, 1};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (sends) {
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), fd, sizeof(int));
    DO(sendmsg(socket, &message, 0));
  } else {
    DO(recvmsg(socket, &message, MSG_CMSG_CLOEXEC));
    memcpy(fd, CMSG_DATA(&control.header), sizeof(int));
  }
}

static void Inside(int is_full, char** arguments, char** command, unsigned user, unsigned group) {
  DO(prctl(PR_SET_PDEATHSIG, SIGKILL));
  DO(setsid());
  DO(syscall(SYS_close_range, 3, ~0U, 0));
  if (is_full) {
    MapIdentity(user, group);
    View(arguments[0], arguments + 1);
    RaiseLoopback();
  }
  DO(syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL));
  DO(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  DO(prctl(PR_SET_DUMPABLE, 0));
  if (is_full) DropCapabilities(1u << CAP_SYS_PTRACE);
  const struct rlimit none = {0, 0}, some = {4096, 4096};
  DO(setrlimit(RLIMIT_CORE, &none));
  DO(setrlimit(RLIMIT_NPROC, &some));
  Restrict(is_full, arguments[0]);
  if (is_full) {
    FILTER(kGuardUsual, 0);
  } else {
    FILTER(kGuardNoneAtAll, 0);
  }
  int pair[2];
  DO(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
  const pid_t child = fork();
  DO(child);
  int listener = -1;
  if (child == 0) {
    DO(setsid());
    if (is_full) DropCapabilities(0);
    listener = FILTER(kSupervisedFilter, SECCOMP_FILTER_FLAG_NEW_LISTENER | (1u << 5));
    PassDescriptor(pair[1], &listener, 1);
    DO(chdir(arguments[0]));
    DO(syscall(SYS_close_range, 3, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */));
    execv(command[0], command);
    _exit(127);
  }
  close(pair[1]);
  PassDescriptor(pair[0], &listener, 0);
  int status = 0;
  // No supervisor answers notifications: the measured command changes nothing.
  DO(waitpid(child, &status, 0));
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int main(int count, char** arguments) {
  char** command = arguments + 2;
  while (*command != NULL && strcmp(*command, "--") != 0) ++command;
  if (count < 5 || *command == NULL) return 2;
  const int is_full = strcmp(arguments[1], "full") == 0;
  const unsigned user = geteuid(), group = getegid();
  const unsigned long flags =
      is_full ? CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
                    CLONE_NEWCGROUP | CLONE_NEWNET
              : 0;
  const pid_t child = (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
  DO(child);
  if (child == 0) Inside(is_full, arguments + 2, command + 1, user, group);
  int status = 0;
  DO(waitpid(child, &status, 0));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
