#include "policy/evaluate/text_kind.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

using enum TextKind;

struct Row {
  std::string_view text;
  TextKind want;
};

constexpr Row kRows[] = {
    {"", kPath},
    {"src/main.cc", kPath},
    {"/etc/passwd", kPath},
    {"/etc/passwd?x://", kPath},
    {"~/.ssh/id_rsa#://", kPath},
    {"a b://c", kPath},
    {"C:\\x", kPath},
    {"notes:today", kPath},
    {"fileX:y", kPath},
    {":x", kPath},
    {"1ab://x", kPath},
    {"file:///etc/passwd", kFileUrl},
    {"FILE:/etc/passwd", kFileUrl},
    {"file:x", kFileUrl},
    {"https://a.example/x", kWebUrl},
    {"HTTP://a.example", kWebUrl},
    {"wss://a.example/../x", kWebUrl},
    {"https://a.example/?next=https://b.example", kWebUrl},
    {"team://channel", kOtherUrl},
    {"x://y", kOtherUrl},
    {"git+ssh://a.example/x", kOtherUrl},
    // Lenient parsers read these as URLs.
    {" https://a.example/", kUnclear},
    {"\thttps://a.example/", kUnclear},
    {"\x01https://a.example/", kUnclear},
    {"ht\ntps://a.example/", kUnclear},
    {"\xC2\xA0https://a.example/", kUnclear},
    {"\xE2\x80\x8Bhttps://a.example/", kUnclear},
    {"\xEF\xBB\xBFhttps://a.example/", kUnclear},
    {"https://a.example/\n", kUnclear},
    {"https:/a.example/", kUnclear},
    {"https:a.example", kUnclear},
    {"https:\\\\a.example/", kUnclear},
    {"fi\tle:///etc/passwd", kUnclear},
    {" team://x", kUnclear},
    // A URL inside another.
    {"view-source:file:///etc/passwd", kUnclear},
    {"git+file:///etc", kUnclear},
    {"file+x:///etc", kUnclear},
    {"a1.b-c+d://x", kOtherUrl},
    {"a_b://x", kPath},
    {"\xFF/x", kPath},
    {"blob:https://a.example/", kUnclear},
    {"jar:FILE:/x!/y", kUnclear},
};

}  // namespace

TEST_CASE("text kind: a path, a URL, or a text that two programs can read differently") {
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(KindOfText(row.text) == row.want);
  }
}
