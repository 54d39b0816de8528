// GuardedNames as bytes: what one sandbox hands to the one around it.
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
                .why = "w"});
  names.Refuse({.base = "/h", .tail = ".claude/projects", .except = "-p", .why = ""});
  names.AllowOnly({{.base = "/p"}, {.base = "/h", .tail = "*.json", .has_pattern = true}});
  names.AllowOnly({});
  names.GuardBareRepositories("bare");
  return names;
}

}  // namespace

TEST_CASE("names as text: what is read is what was written") {
  const std::string bytes = PackNames(Sample());
  const auto read = UnpackNames(bytes);
  REQUIRE(read);
  CHECK(*read == Sample());
  CHECK(PackNames(*read) == bytes);
  CHECK(UnpackNames(PackNames(GuardedNames())) == GuardedNames());
}

TEST_CASE("names as text: what is private to the outer sandbox is not for the inner one to say") {
  GuardedNames names = Sample();
  names.Exempt(Path::Clean("/tmp"));
  names.KeepHost(Path::Clean("/tmp/p"));
  CHECK(UnpackNames(PackNames(names)) == Sample());
}

TEST_CASE("names as text: bytes that were cut or lengthened are none") {
  const std::string bytes = PackNames(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(UnpackNames(std::string_view(bytes).substr(0, size)));
  }
  CHECK_FALSE(UnpackNames(bytes + "x"));
  CHECK_FALSE(UnpackNames(bytes + '\0'));
}

TEST_CASE("names as text: a wrong count or a relative base is an error") {
  using namespace std::string_view_literals;
  CHECK(UnpackNames("0\0000\0\0"sv));
  for (const std::string_view bytes :
       {"\0000\0\0"sv, "-1\0000\0\0"sv, "x\0000\0\0"sv, "1x\0000\0\0"sv, "10001\0000\0\0"sv,
        "99999999999999999999\0000\0\0"sv, "1\0p\0t\0\0\0\0000\0\0"sv}) {
    CAPTURE(bytes);
    CHECK_FALSE(UnpackNames(bytes));
  }
}
