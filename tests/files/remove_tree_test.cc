#include "files/remove_tree.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "base/unique_fd.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

TEST_CASE("remove tree: files, directories, links and entries without permissions") {
  const TemporaryTree tree;
  tree.File("outside/kept", "text");
  tree.File("top/a/b/c", "text");
  tree.File("top/.1", "a name that moving could take");
  tree.File("top/a/.2/x");
  tree.Link("top/a/link", tree.At("outside"));
  tree.Link("top/dangling", "nowhere");
  tree.Directory("top/closed/inner");
  REQUIRE(::mkfifo(tree.At("top/a/fifo").c_str(), 0600) == 0);
  REQUIRE(::chmod(tree.At("top/closed/inner").c_str(), 0) == 0);
  REQUIRE(::chmod(tree.At("top/closed").c_str(), 0) == 0);
  REQUIRE(::chmod(tree.At("top").c_str(), 0500) == 0);
  CHECK(RemoveTree(tree.At("top")));
  CHECK(::access(tree.At("top").c_str(), F_OK) != 0);
  CHECK(::access(tree.At("outside/kept").c_str(), F_OK) == 0);
  CHECK(RemoveTree(tree.At("top")));
}

TEST_CASE("remove tree: deeper than the longest path") {
  const TemporaryTree tree;
  tree.Directory("top");
  UniqueFd folder(::open(tree.At("top").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int depth = 0; depth < 3000; ++depth) {
    REQUIRE(::mkdirat(folder.get(), "down", 0700) == 0);
    folder = UniqueFd(::openat(folder.get(), "down", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(folder.valid());
  }
  CHECK(RemoveTree(tree.At("top")));
  CHECK(::access(tree.At("top").c_str(), F_OK) != 0);
}

TEST_CASE("remove tree: a link is not followed") {
  const TemporaryTree tree;
  tree.File("real/kept");
  tree.Link("top", "real");
  CHECK_FALSE(RemoveTree(tree.At("top")));
  CHECK(::access(tree.At("real/kept").c_str(), F_OK) == 0);
}

namespace {

// A descriptor that receives this thread's unlinkat(2), openat(2) and fchmodat(2) before they are
// executed, or -1 if the kernel does not support this.
int HearOwnCalls() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unlinkat, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fchmodat, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  const sock_fprog filter{.len = std::size(program), .filter = program};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return static_cast<int>(
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter));
}

// Allows each call until the thread has ended; before the first call after rmdir(2), runs
// `meanwhile`.
void Answer(int listener, const std::function<void()>& meanwhile) {
  bool was_rmdir = false;
  for (;;) {
    pollfd polled{.fd = listener, .events = POLLIN, .revents = 0};
    ::poll(&polled, 1, -1);
    seccomp_notif call{};
    if ((polled.revents & POLLIN) == 0 || ::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
      return;
    }
    if (std::exchange(was_rmdir, false)) meanwhile();
    was_rmdir = call.data.nr == SYS_unlinkat && call.data.args[2] == AT_REMOVEDIR;
    seccomp_notif_resp answer{};
    answer.id = call.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

}  // namespace

TEST_CASE("remove tree: a link that replaces a directory in between is not followed") {
  const TemporaryTree tree;
  tree.File("outside/kept");
  REQUIRE(::chmod(tree.At("outside").c_str(), 0755) == 0);
  tree.File("top/folder/file");
  tree.Link("link", tree.At("outside"));
  const std::string folder = tree.At("top/folder"), link = tree.At("link");
  std::atomic<int> listener = 0;
  std::thread remover([&] {
    listener = HearOwnCalls();
    listener.notify_one();
    if (listener >= 0) CHECK_FALSE(RemoveTree(tree.At("top")));
  });
  listener.wait(0);
  bool was_exchanged = false;
  if (listener >= 0) {
    Answer(listener, [&] {
      if (std::exchange(was_exchanged, true)) return;
      ::syscall(SYS_renameat2, AT_FDCWD, folder.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
    });
    CHECK(was_exchanged);
  }
  remover.join();
  struct stat facts {};
  REQUIRE(::stat(tree.At("outside").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 07777) == 0755);
  CHECK(::access(tree.At("outside/kept").c_str(), F_OK) == 0);
  if (listener >= 0) ::close(listener);
}
