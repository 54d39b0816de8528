#include "policy/evaluate/host_or_file.h"

#include <doctest/doctest.h>

using namespace ringfence;

TEST_CASE("host or file: many file extensions are also top-level domains") {
  struct Row {
    std::string_view name;
    NameKind want;
  };
  using enum NameKind;
  static constexpr Row kRows[] = {
      {"*", kHost},
      {"*.forge.example", kHost},
      {"forge.example", kHost},
      {"forge.example:443", kHost},
      {"notes.md:443", kHost},
      {"[::1]", kHost},
      {"192.0.2.1", kHost},
      {"localhost", kHost},
      {"*.example", kHost},
      {"*.log", kHostOrFile},
      {"*.rs", kHostOrFile},
      {"*.example.rs", kHost},
      {"host.ringfence", kHost},
      {"Host.Ringfence:80", kHost},
      {"x.ringfence", kHost},
      {"notes.md", kHostOrFile},
      {"main.rs", kHostOrFile},
      {"a.b", kHostOrFile},
      {"a_b.example", kHostOrFile},
      {"README.example", kHostOrFile},
      {"intranet", kNeither},
      {"a b.example", kNeither},
      {".example", kNeither},
      {"forge.example.", kNeither},
      {"", kNeither},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(KindOfName(row.name) == row.want);
  }
}
