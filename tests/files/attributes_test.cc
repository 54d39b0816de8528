#include "files/attributes.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <string>

#include "files/entry.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

class Files {
 public:
  Files() {
    tree_.File("a", "1");
    tree_.File("b", "1");
    folder_ = UniqueFd(::open(tree_.root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  // False on a file system without attributes.
  bool Set(const char* file, const char* name, const std::string& value) const {
    return ::setxattr(tree_.At(file).c_str(), name, value.data(), value.size(), 0) == 0;
  }

  Entry At(const std::string& file) const {
    Result<Entry> entry = LookAt(folder_.get(), file, file);
    REQUIRE(entry.has_value());
    AddAttributes(folder_.get(), file, *entry);
    return *entry;
  }

  UniqueFd Open(const char* file) const {
    return UniqueFd(::open(tree_.At(file).c_str(), O_RDWR | O_CLOEXEC));
  }

 private:
  TemporaryTree tree_;
  UniqueFd folder_;
};

}  // namespace

TEST_CASE("attributes: those that differ are named, and a copy has the same") {
  const Files files;
  if (!files.Set("a", "user.a", "1")) return;
  REQUIRE(files.Set("a", "user.large", std::string(2000, 'x')));
  REQUIRE(files.Set("a", "user.same", "1"));
  REQUIRE(files.Set("a", "user.overlay.opaque", "y"));
  REQUIRE(files.Set("b", "user.a", "2"));
  REQUIRE(files.Set("b", "user.b", ""));
  REQUIRE(files.Set("b", "user.same", "1"));
  CHECK(DifferentAttributes(files.At("a"), files.At("b")) ==
        std::vector<std::string>{"user.a", "user.b", "user.large"});
  CopyAttributes(files.Open("a").get(), files.Open("b").get(), false);
  CHECK(DifferentAttributes(files.At("a"), files.At("b")).empty());
  const UniqueFd b = files.Open("b");
  CHECK(::fgetxattr(b.get(), "user.overlay.opaque", nullptr, 0) < 0);
  CopyAttributes(files.Open("a").get(), b.get(), true);
  CHECK(::fgetxattr(b.get(), "user.overlay.opaque", nullptr, 0) == 1);
}

TEST_CASE("attributes: all are replaced") {
  const Files files;
  if (!files.Set("a", "user.a", "1")) return;
  const UniqueFd a = files.Open("a");
  const Result<AttributeValues> before = ReadAttributes(a.get());
  REQUIRE(before.has_value());
  CHECK(*before == AttributeValues{{"user.a", "1"}});
  const AttributeValues wanted{{"user.b", "2"}, {"user.c", ""}};
  REQUIRE(ReplaceAttributes(a.get(), wanted).has_value());
  CHECK(*ReadAttributes(a.get()) == wanted);
  REQUIRE(ReplaceAttributes(a.get(), *before).has_value());
  CHECK(*ReadAttributes(a.get()) == *before);
}
