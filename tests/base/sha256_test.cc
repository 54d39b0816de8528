#include "base/sha256.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file_digest.h"
#include "base/syscall.h"
#include "base/unique_fd.h"

using namespace ringfence;

TEST_CASE("sha256: the digests of the standard's own examples") {
  struct Row {
    std::string_view name;
    std::string text;
    const char* want;
  };
  const Row kRows[] = {
      {"nothing", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"one block", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"a million letters", std::string(1000000, 'a'),
       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Sha256Hex(row.text) == row.want);
  }
}

TEST_CASE("sha256: NUL bytes count") {
  CHECK(Sha256Hex(std::string(1, '\0')) != Sha256Hex(""));
  CHECK(Sha256Hex(std::string(1, '\0')) ==
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
}

TEST_CASE("sha256: a file has the digest of its bytes") {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65536}, size_t{200000}}) {
    CAPTURE(size);
    std::string name = "/tmp/ringfence-digest-XXXXXX";
    const UniqueFd file(::mkstemp(name.data()));
    ::unlink(name.c_str());
    const std::string text(size, 'a');
    REQUIRE(WriteAll(file.get(), text).has_value());
    const Result<std::string> digest = Sha256OfFile(file.get());
    REQUIRE(digest.has_value());
    CHECK(*digest == Sha256Hex(text));
  }
  const UniqueFd folder = OpenFile("/", O_RDONLY | O_DIRECTORY);
  CHECK_FALSE(Sha256OfFile(folder.get()).has_value());
}
