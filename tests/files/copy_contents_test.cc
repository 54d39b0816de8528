#include "files/copy_contents.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "base/unique_fd.h"
#include "files/system_calls.h"
#include "tests/support/filtered_call.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

// Copies a part of a file while copy_file_range(2) returns this error, or 0 if `code` is 0.
class PartCopy {
 public:
  explicit PartCopy(const std::string& text) {
    tree_.File("from", text);
    tree_.File("to", "");
    from_ = UniqueFd(::open(tree_.At("from").c_str(), O_RDONLY | O_CLOEXEC));
    to_ = UniqueFd(::open(tree_.At("to").c_str(), O_WRONLY | O_CLOEXEC));
  }

  // Returns false if the kernel cannot make the call fail.
  bool Copy(int code, off_t at, off_t end) {
    return WithFailingCall(SYS_copy_file_range, static_cast<uint32_t>(code),
                           [&] { copied = CopyPart(from_.get(), to_.get(), at, end); });
  }

  std::string Written() const {
    std::ifstream file(tree_.At("to"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void MakeUnreadable() { from_ = UniqueFd(::open(tree_.At("to").c_str(), O_WRONLY | O_CLOEXEC)); }

  Result<bool> copied = false;

 private:
  TemporaryTree tree_;
  UniqueFd from_, to_;
};

}  // namespace

TEST_CASE("copy contents: bytes that the kernel does not copy are read and written") {
  for (const int code : {0, EPERM, EIO, EOPNOTSUPP, ENOSYS, EXDEV, EINVAL}) {
    CAPTURE(code);
    PartCopy part("0123456789");
    if (!part.Copy(code, 2, 8)) return;
    REQUIRE(part.copied.has_value());
    CHECK(*part.copied);
    CHECK(part.Written() == std::string(2, '\0') + "234567");
  }
}

TEST_CASE("copy contents: a file that has become shorter, and one that cannot be read") {
  for (const int code : {0, EIO}) {
    CAPTURE(code);
    PartCopy part("0123");
    if (!part.Copy(code, 0, 8)) return;
    REQUIRE(part.copied.has_value());
    CHECK_FALSE(*part.copied);
    CHECK(part.Written() == "0123");
    part.MakeUnreadable();
    REQUIRE(part.Copy(code, 0, 4));
    CHECK_FALSE(part.copied.has_value());
  }
}

TEST_CASE("copy contents: a full disk is an error at once") {
  PartCopy part("0123456789");
  if (!part.Copy(ENOSPC, 0, 10)) return;
  REQUIRE_FALSE(part.copied.has_value());
  CHECK(part.copied.error().code == ENOSPC);
  CHECK(part.Written().empty());
}
