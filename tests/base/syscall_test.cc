#include "base/syscall.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <thread>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

struct Pipe {
  UniqueFd reader, writer;
};

Pipe MakePipe() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace

TEST_CASE("syscall: an error has its name, an unknown one its number") {
  CHECK(ErrnoName(EACCES) == "EACCES");
  CHECK(ErrnoName(ENAMETOOLONG) == "ENAMETOOLONG");
  CHECK(ErrnoName(EOPNOTSUPP) == "EOPNOTSUPP");  // Landlock is not enabled at boot
  CHECK(ErrnoName(4095) == "errno 4095");
  CHECK(ErrnoName(0) == "errno 0");
}

TEST_CASE("syscall: a system error names the failed call and the reason") {
  errno = ENOENT;
  const Error error = SystemError("open(/x)");
  CHECK(error.kind == Error::Kind::kSystem);
  CHECK(error.text() == "open(/x): ENOENT");
  CHECK(error.code == ENOENT);
  CHECK(error.about == Error::About::kOther);
  CHECK(SystemError("read", EIO).text() == "read: EIO");
  CHECK(SystemError("x", EIO, Error::About::kRoot).about == Error::About::kRoot);
}

TEST_CASE("syscall: the status of a call that returned -1 has errno") {
  CHECK(CallStatus(true, "mount(/x)"));
  errno = EPERM;
  const Status failed = CallStatus(false, "mount(/x)");
  REQUIRE(!failed);
  CHECK(failed.error().text() == "mount(/x): EPERM");
}

TEST_CASE("syscall: a file of /proc that does not exist is an error with its name") {
  const Result<std::string> text = ReadSystemFile("/proc/self/none", 100);
  REQUIRE(!text);
  CHECK(text.error().text() == "open(/proc/self/none): ENOENT");
  CHECK(ReadSystemFile("/proc/self/comm", 100));
}

TEST_CASE("syscall: a file of /proc or /sys has a greatest size") {
  TemporaryTree tree;
  tree.File("fits", std::string(kMaxSystemFile, 'x'));
  tree.File("too_large", std::string(kMaxSystemFile + 1, 'x'));
  const Result<std::string> text = ReadSystemFile(tree.At("fits"));
  REQUIRE(text);
  CHECK(text->size() == kMaxSystemFile);
  CHECK_FALSE(ReadSystemFile(tree.At("too_large")));
}

TEST_CASE("syscall: a plain errno value is an error as well") {
  const Error error = Errno(EFAULT);
  CHECK(error.code == EFAULT);
  CHECK(error.text() == ErrnoName(EFAULT));
}

TEST_CASE("syscall: reading continues to the end, whatever the size of the pieces") {
  for (const size_t size : {0u, 1u, 16383u, 16384u, 16385u, 1000000u}) {
    CAPTURE(size);
    Pipe pipe = MakePipe();
    const std::string want(size, 'x');
    std::thread writer([&] {
      CHECK(WriteAll(pipe.writer.get(), want));
      pipe.writer = UniqueFd();
    });
    const Result<std::string> got = ReadAll(pipe.reader.get(), 1000000, "pipe");
    writer.join();
    REQUIRE(got);
    CHECK(*got == want);
  }
}

TEST_CASE("syscall: one byte above the limit is an error that names the limit") {
  Pipe pipe = MakePipe();
  REQUIRE(WriteAll(pipe.writer.get(), std::string(101, 'x')));
  pipe.writer = UniqueFd();
  const Result<std::string> got = ReadAll(pipe.reader.get(), 100, "policy.json");
  REQUIRE_FALSE(got);
  CHECK(got.error().text() == "policy.json: larger than 100 bytes");
}

TEST_CASE("syscall: a descriptor that cannot be read or written is an error") {
  CHECK(ReadAll(-1, 10, "nothing").error().text() == "read(nothing): EBADF");
  CHECK(WriteAll(-1, "x").error().text() == "write: EBADF");
  const UniqueFd directory(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK(ReadAll(directory.get(), 10, "/").error().text() == "read(/): EISDIR");
}

TEST_CASE("syscall: writing nothing succeeds without a call") { CHECK(WriteAll(-1, "")); }

TEST_CASE("syscall: a full device is an error, not silence") {
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  REQUIRE(full.valid());
  CHECK(WriteAll(full.get(), "x").error().text() == "write: ENOSPC");
}

TEST_CASE("syscall: a reader that closed its end is an error if the signal is ignored") {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe = MakePipe();
  pipe.reader = UniqueFd();
  CHECK(WriteAll(pipe.writer.get(), "x").error().text() == "write: EPIPE");
  std::signal(SIGPIPE, before);
}

TEST_CASE("syscall: an interrupted call is repeated") {
  struct sigaction quiet {};
  quiet.sa_handler = [](int) {};  // without SA_RESTART, so that read(2) is interrupted
  struct sigaction before {};
  REQUIRE(::sigaction(SIGALRM, &quiet, &before) == 0);
  Pipe pipe = MakePipe();
  const pthread_t self = ::pthread_self();
  std::thread other([&] {
    for (int i = 0; i < 5; ++i) {
      ::usleep(2000);
      ::pthread_kill(self, SIGALRM);
    }
    CHECK(WriteAll(pipe.writer.get(), "late"));
    pipe.writer = UniqueFd();
  });
  const Result<std::string> got = ReadAll(pipe.reader.get(), 100, "pipe");
  other.join();
  ::sigaction(SIGALRM, &before, nullptr);
  REQUIRE(got);
  CHECK(*got == "late");
}

TEST_CASE("syscall: a file that has grown since fstat is read to its end") {
  for (const size_t expected : {0u, 1u, 999u, 1000u, 1001u, 5000u}) {
    CAPTURE(expected);
    Pipe pipe = MakePipe();
    REQUIRE(WriteAll(pipe.writer.get(), std::string(1000, 'x')));
    pipe.writer = UniqueFd();
    const Result<std::string> got = ReadAll(pipe.reader.get(), 4000, "file", expected);
    REQUIRE(got);
    CHECK(got->size() == 1000);
  }
}
