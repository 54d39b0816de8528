#include "files/entry.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "files/system_calls.h"
#include "tests/support/filtered_call.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

// Two directories with a file of the same name.
class Pair {
 public:
  Pair() {
    for (const char* name : {"a/f", "b/f"}) tree_.File(name, "1");
    a_ = UniqueFd(::open(tree_.At("a").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    b_ = UniqueFd(::open(tree_.At("b").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  bool Resize(const char* name, off_t size) const {
    return ::truncate(tree_.At(name).c_str(), size) == 0;
  }
  void Write(const char* name, off_t at) const {
    const UniqueFd file(::open(tree_.At(name).c_str(), O_WRONLY | O_CLOEXEC));
    REQUIRE(::pwrite(file.get(), "x", 1, at) == 1);
  }
  bool HasSameBytes() const {
    const Result<bool> is_same = HaveSameBytes(a_.get(), b_.get(), "f", "f");
    REQUIRE(is_same.has_value());
    return *is_same;
  }

 private:
  TemporaryTree tree_;
  UniqueFd a_, b_;
};

}  // namespace

TEST_CASE("entry: what is a hole in both files is not read") {
  constexpr off_t kTebibyte = off_t{1} << 40;
  const Pair pair;
  if (!pair.Resize("a/f", kTebibyte)) return;  // a file system with a smaller limit
  REQUIRE(pair.Resize("b/f", kTebibyte));
  CHECK(pair.HasSameBytes());
  pair.Write("a/f", kTebibyte / 2);
  CHECK_FALSE(pair.HasSameBytes());
  pair.Write("b/f", kTebibyte / 2);
  CHECK(pair.HasSameBytes());
  REQUIRE(pair.Resize("b/f", kTebibyte + 1));
  CHECK_FALSE(pair.HasSameBytes());
  REQUIRE(pair.Resize("b/f", kTebibyte / 2));
  CHECK_FALSE(pair.HasSameBytes());
}

TEST_CASE("entry: files of whole parts, and of other sizes") {
  constexpr off_t kPart = off_t{64} << 10;
  const Pair pair;
  for (const off_t size : {off_t{0}, kPart, 2 * kPart, kPart + 1}) {
    REQUIRE((pair.Resize("a/f", size) && pair.Resize("b/f", size)));
    if (size > 0) {
      pair.Write("a/f", size - 1);
      pair.Write("b/f", size - 1);
    }
    CHECK(pair.HasSameBytes());
    REQUIRE(pair.Resize("b/f", size + 1));
    CHECK_FALSE(pair.HasSameBytes());
  }
}

TEST_CASE("entry: directories whose contents stages leave out") {
  std::string path = "d";
  for (int i = 1; i < kMaxDepth; ++i) path += "/d";
  CHECK_FALSE(IsTooDeep(path));
  CHECK(IsTooDeep(path + "/d"));
  CHECK_FALSE(IsTooDeep(std::string(3000, 'n')));
  CHECK(IsTooDeep(std::string(3001, 'n')));
}

TEST_CASE("entry: a time that does not fit becomes the nearest one that does") {
  constexpr int64_t kSecond = 1'000'000'000;
  CHECK(InNanoseconds({.tv_sec = 3, .tv_nsec = 4}) == 3 * kSecond + 4);
  CHECK(InNanoseconds({.tv_sec = -3, .tv_nsec = 4}) == -3 * kSecond + 4);
  const int64_t last = InNanoseconds({.tv_sec = INT64_MAX, .tv_nsec = 0});
  const int64_t first = InNanoseconds({.tv_sec = INT64_MIN, .tv_nsec = 0});
  CHECK(last == -first);
  CHECK(last / kSecond == INT64_MAX / kSecond - 1);
}

namespace {

// Allows each call until the thread has ended, and runs `meanwhile` before the call.
void AnswerCalls(int listener, const std::function<void()>& meanwhile) {
  for (;;) {
    pollfd polled{.fd = listener, .events = POLLIN, .revents = 0};
    ::poll(&polled, 1, -1);
    seccomp_notif call{};
    if ((polled.revents & POLLIN) == 0 || ::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
      return;
    }
    meanwhile();
    seccomp_notif_resp answer{};
    answer.id = call.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

// Looks at a link that is replaced between the calls for its facts and its target.
Result<Entry> LookDuring(const TemporaryTree& tree, const std::function<void()>& meanwhile) {
  Result<Entry> seen = Error{};
  std::atomic<int> listener = 0;
  std::thread looking([&] {
    listener = FilterOwnCall(SYS_readlinkat, SECCOMP_RET_USER_NOTIF);
    listener.notify_one();
    seen = LookAt(AT_FDCWD, tree.At("link"), "link");
  });
  listener.wait(0);
  if (listener >= 0) {
    AnswerCalls(listener, meanwhile);
  } else {
    meanwhile();
  }
  looking.join();
  if (listener >= 0) ::close(listener);
  return seen;
}

}  // namespace

TEST_CASE("entry: a link that becomes a file, or is removed, meanwhile") {
  const TemporaryTree tree;
  tree.Link("link", "target");
  tree.File("file", "text");
  const Result<Entry> replaced =
      LookDuring(tree, [&] { ::rename(tree.At("file").c_str(), tree.At("link").c_str()); });
  REQUIRE(replaced.has_value());
  CHECK(replaced->is_file());
  CHECK(replaced->size == 4);
  ::unlink(tree.At("link").c_str());
  tree.Link("link", "target");
  const Result<Entry> removed = LookDuring(tree, [&] { ::unlink(tree.At("link").c_str()); });
  REQUIRE(removed.has_value());
  CHECK_FALSE(removed->exists());
}

TEST_CASE("entry: a name that never stays a link ends in an error") {
  const TemporaryTree tree;
  tree.Link("link", "target");
  Result<Entry> seen = Entry{};
  if (!WithFailingCall(SYS_readlinkat, EINVAL,
                       [&] { seen = LookAt(AT_FDCWD, tree.At("link"), "link"); })) {
    return;
  }
  REQUIRE_FALSE(seen.has_value());
  CHECK(seen.error().code == EINVAL);
}
