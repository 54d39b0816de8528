// Path and Walk: cleaning twice equals cleaning once, a path inside a directory stays inside it,
// and walking to the end of a walk leads to the same place without links.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/require.h"
#include "policy/files/resolve.h"
#include "tests/support/fake_files.h"

using namespace ringfence;

namespace {

const FakeFiles& Files() {
  static const FakeFiles files{{"/a/f", File()},
                               {"/a/b/f", File().Links(2)},
                               {"/a/b/up", LinkTo("..")},
                               {"/a/b/a", LinkTo("../../a")},
                               {"/a/root", LinkTo("/")},
                               {"/a/c", LinkTo("b/./")},
                               {"/a/d", LinkTo("/no/such/../file")},
                               {"/a/loop", LinkTo("loop/x")},
                               {"/a/e", LinkTo("f/..")},
                               {"/b", LinkTo("a/b")},
                               {"/locked", UnreadableDirectory()}};
  return files;
}

void CheckPath(std::string_view text) {
  const Path clean = Path::Clean(text);
  Require(Path::Clean(clean.text()) == clean);
  Require(clean.IsInside(Path()));
  Require(clean.IsInside(clean) && clean.IsInside(clean.Parent()));
  Require(clean.is_root() || clean.Parent().Child(clean.name()) == clean);
  const bool has_nul = clean.text().find('\0') != std::string::npos;
  Require(Path::Parse(clean.text()).has_value() == !has_nul);
  if (const auto parsed = Path::Parse(text)) Require(*parsed == clean);
}

void CheckWalk(std::string_view text) {
  const Walked walked = Walk(text, Files());
  Require(Path::Clean(walked.end.text()) == walked.end);
  Require(walked.links.size() <= 40);
  Require((walked.stop == Walked::Stop::kUnreadable) == walked.error.has_value());
  if (walked.stop != Walked::Stop::kEnd) return;
  Require(walked.facts.kind != FileKind::kLink);
  const Walked again = Walk(walked.end.text(), Files());
  Require(again.stop == Walked::Stop::kEnd && again.end == walked.end && again.links.empty());
  // For "/", the walk reports only the kind.
  const bool same_file = walked.end.is_root() || again.facts.inode == walked.facts.inode;
  Require(again.facts.kind == walked.facts.kind && same_file);
}

}  // namespace

// Few bytes become many steps: each byte selects a component, so that the fuzzer explores the tree.
// The raw text is checked second.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static constexpr std::string_view kNames[] = {"a", "b", "c",    "d",  "e", "f",  "up",     "root",
                                                "a", "b", "loop", "..", ".", "no", "locked", ""};
  std::string steps;
  for (size_t i = 0; i < std::min<size_t>(size, 200); ++i) {
    steps += "/" + std::string(kNames[data[i] % std::size(kNames)]);
  }
  CheckPath("/" + steps);
  CheckWalk("/" + steps);
  const std::string text = "/" + std::string(reinterpret_cast<const char*>(data), size);
  CheckPath(text);
  CheckWalk(text);
  return 0;
}
