#include "base/unique_fd.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <utility>

using namespace ringfence;

namespace {

int Open() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool IsOpen(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

}  // namespace

TEST_CASE("unique_fd: the owner closes the descriptor on destruction") {
  const int fd = Open();
  REQUIRE(IsOpen(fd));
  {
    const UniqueFd owner(fd);
    CHECK(owner.valid());
    CHECK(owner.get() == fd);
  }
  CHECK_FALSE(IsOpen(fd));
}

TEST_CASE("unique_fd: moving transfers the descriptor, releasing gives it up") {
  const int fd = Open();
  UniqueFd first(fd);
  UniqueFd second(std::move(first));
  CHECK(second.get() == fd);
  UniqueFd third;
  CHECK_FALSE(third.valid());
  third = std::move(second);
  CHECK(third.get() == fd);
  CHECK(third.release() == fd);
  CHECK_FALSE(third.valid());
  CHECK(IsOpen(fd));
  const UniqueFd closes_it(fd);
}
