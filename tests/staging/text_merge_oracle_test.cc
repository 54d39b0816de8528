// Random triples of texts, merged here and by `git merge-file`: both must agree on every byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "staging/text_merge.h"
#include "tests/support/corpora.h"
#include "tests/support/mutate.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

constexpr int kTriples = 3000;

using Lines = std::vector<std::string>;

// Texts with few different lines, so that lines repeat and a difference can be found in several
// ways.
class RandomTexts {
 public:
  explicit RandomTexts(uint32_t seed) : random_(seed) {}

  struct Triple {
    std::string base, ours, theirs;
  };

  Triple Next() {
    words_ = Below(4) == 0 ? 3 : 4 + Below(200);
    const Lines base = Several(Below(10) == 0 ? Below(600) : Below(30));
    const Lines common = Below(3) == 0 ? Edited(base) : base;  // a change that both have made
    return {Text(base), Text(Edited(common)), Text(Edited(common))};
  }

 private:
  size_t Below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  std::string Line() {
    constexpr const char* kOdd[] = {"", " ", "\t}", "<<<<<<< a", "=======", ">>>>>>> b", "é\xff"};
    if (Below(8) == 0) return kOdd[Below(std::size(kOdd))];
    return "line " + std::to_string(Below(words_));
  }

  Lines Several(size_t count) {
    Lines lines;
    while (lines.size() < count) lines.push_back(Line());
    return lines;
  }

  Lines Edited(Lines lines) {
    for (size_t n = Below(5); n > 0; --n) EditOnce(lines);
    return lines;
  }

  void EditOnce(Lines& lines) {
    const auto at = lines.begin() + static_cast<ptrdiff_t>(Below(lines.size() + 1));
    const auto most = static_cast<size_t>(lines.end() - at);
    const auto end = at + static_cast<ptrdiff_t>(std::min(Below(6), most));
    const Lines block(at, end);
    switch (Below(5)) {
      case 0:
        lines.erase(at, end);
        break;
      case 1: {
        const Lines added = Several(1 + Below(4));
        lines.insert(at, added.begin(), added.end());
        break;
      }
      case 2:  // moves a block
        lines.erase(at, end);
        lines.insert(lines.begin() + static_cast<ptrdiff_t>(Below(lines.size() + 1)), block.begin(),
                     block.end());
        break;
      case 3:  // duplicates a block
        lines.insert(lines.begin() + static_cast<ptrdiff_t>(Below(lines.size() + 1)), block.begin(),
                     block.end());
        break;
      default:
        for (auto line = at; line != end; ++line) *line = Line();
    }
  }

  // Some with CRLF, and some without an end of the last line.
  std::string Text(const Lines& lines) {
    const bool has_crlf = Below(10) == 0;
    std::string text;
    for (const std::string& line : lines) text += line + (has_crlf ? "\r\n" : "\n");
    if (!text.empty() && Below(5) == 0) text.pop_back();
    return text;
  }

  std::mt19937 random_;
  size_t words_ = 0;
};

std::string NameOf(int number, const char* what) { return std::to_string(number) + "." + what; }

// Merges all triples in the directory. Returns false if git is not installed.
bool MergeByGit(const std::string& folder) {
  const std::string script =
      "command -v git > /dev/null || exit 9; cd '" + folder + "' || exit 1; n=0; while [ $n -lt " +
      std::to_string(kTriples) +
      " ]; do git merge-file -p -q --diff3 -L 'working tree' -L base -L stage"
      " $n.ours $n.base $n.theirs > $n.merged; echo $? > $n.status; n=$((n + 1)); done";
  const int status = std::system(script.c_str());  // NOLINT: a test's own words
  const bool is_missing = WIFEXITED(status) && WEXITSTATUS(status) == 9;
  REQUIRE((status == 0 || is_missing));
  return !is_missing;
}

}  // namespace

TEST_CASE("text merge: agrees with git merge-file") {
  const uint32_t seed = TestSeed();
  MESSAGE("RINGFENCE_SEED=" << seed);
  RandomTexts random(seed);
  const TemporaryTree tree;
  std::vector<RandomTexts::Triple> triples;
  for (int i = 0; i < kTriples; ++i) {
    const RandomTexts::Triple& triple = triples.emplace_back(random.Next());
    tree.File(NameOf(i, "base"), triple.base);
    tree.File(NameOf(i, "ours"), triple.ours);
    tree.File(NameOf(i, "theirs"), triple.theirs);
  }
  if (!MergeByGit(tree.root())) {
    MESSAGE("skipped: git is not installed");
    return;
  }
  int clean = 0;
  for (int i = 0; i < kTriples; ++i) {
    CAPTURE(i);
    const RandomTexts::Triple& triple = triples[static_cast<size_t>(i)];
    const Result<MergedText> merged = MergeTexts({triple.base, triple.ours, triple.theirs});
    REQUIRE(merged.has_value());
    REQUIRE(merged->text == ReadWholeFile(tree.At(NameOf(i, "merged"))));
    REQUIRE(merged->is_clean == (ReadWholeFile(tree.At(NameOf(i, "status"))) == "0\n"));
    clean += merged->is_clean ? 1 : 0;
  }
  // Both outcomes must be frequent.
  CHECK(clean > kTriples / 5);
  CHECK(clean < kTriples * 4 / 5);
  MESSAGE(clean << " of " << kTriples << " merged without a conflict");
}
