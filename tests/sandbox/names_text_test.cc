// GuardedNames as bytes: what a nested sandbox passes to the outer one.
#include "sandbox/names_text.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;

namespace {

GuardedNames Sample() {
  GuardedNames names;
  names.Refuse({.base = "/p", .tail = "docs/adr", .why = R"(denied by "docs/adr")"});
  names.Refuse({.base = "/",
                .tail = "**/.git/config",
                .has_pattern = true,
                .is_anywhere = true,
                .unless_new = true,
                .comes_whole = true,
                .why = "w"});
  names.Refuse({.base = "/",
                .tail = "**/.vscode",
                .has_pattern = true,
                .is_anywhere = true,
                .unless_new = true,
                .not_in_stores = true,
                .why = "v"});
  names.Refuse({.base = "/h", .tail = ".claude/projects", .except = "-p", .why = ""});
  names.AllowOnly({{.base = "/p"}, {.base = "/h", .tail = "*.json", .has_pattern = true}});
  names.AllowOnly({});
  names.HoldInPlace(Path::Clean("/h/conf/key.pem"), "held");
  names.SetPackageStores({"node_modules", "vendor"}, Path::Clean("/p"));
  names.GuardBareRepositories("bare");
  return names;
}

}  // namespace

TEST_CASE("names as text: names survive being written and read") {
  const std::string bytes = PackNames(Sample());
  const auto read = UnpackNames(bytes);
  REQUIRE(read);
  CHECK(*read == Sample());
  CHECK(PackNames(*read) == bytes);
  CHECK(UnpackNames(PackNames(GuardedNames())) == GuardedNames());
}

TEST_CASE("names as text: the inner sandbox does not pass on the outer one's private directories") {
  GuardedNames names = Sample();
  names.Exempt(Path::Clean("/tmp"));
  names.KeepHost(Path::Clean("/tmp/p"));
  CHECK(UnpackNames(PackNames(names)) == Sample());
}

TEST_CASE("names as text: truncated or extended bytes are invalid") {
  const std::string bytes = PackNames(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(UnpackNames(std::string_view(bytes).substr(0, size)));
  }
  CHECK_FALSE(UnpackNames(bytes + "x"));
  CHECK_FALSE(UnpackNames(bytes + '\0'));
}

TEST_CASE("names as text: a wrong count or a relative base is an error") {
  using namespace std::string_literals;
  const std::string rest("\0000\0000\0000\0\0\0", 9);
  CHECK(UnpackNames("0" + rest));
  CHECK(UnpackNames("1\0/p\0t\0\0\0"s + rest));
  for (const std::string& count :
       {""s, "-1"s, "x"s, "1x"s, "10001"s, "99999999999999999999"s, "1\0p\0t\0\0\0"s}) {
    CAPTURE(count);
    CHECK_FALSE(UnpackNames(count + rest));
  }
}

// The supervisor accepts this from any process inside.
TEST_CASE("names as text: a rule for any depth must have that form, and depth is limited") {
  using namespace std::string_literals;
  const auto with = [](const std::string& base, const std::string& tail, const char* flags) {
    const std::string rest("\0000\0000\0000\0\0\0", 9);
    return "1\0"s + base + '\0' + tail + "\0\0why\0"s + flags + rest;
  };
  CHECK(UnpackNames(with("/", "**/x", "pa")));
  CHECK_FALSE(UnpackNames(with("/", "", "pa")));
  CHECK_FALSE(UnpackNames(with("/", "x", "pa")));
  CHECK_FALSE(UnpackNames(with("/", "**/x", "a")));
  CHECK_FALSE(UnpackNames(with("", "**/x", "pa")));
  CHECK_FALSE(UnpackNames(with("/p", "**/x", "pa")));
  std::string deep = "x";
  for (int i = 0; i < 63; ++i) deep = "**/" + deep;
  CHECK(UnpackNames(with("/", deep, "pa")));
  CHECK_FALSE(UnpackNames(with("/", "**/" + deep, "pa")));
}
