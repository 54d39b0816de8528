#include "cli/stage/review_page.h"

#include <doctest/doctest.h>

#include <string>

#include "cli/stage/review_diff.h"
#include "staging/text_diff.h"

using namespace ringfence;

namespace {

const std::string kHostile =
    "</pre></script></style><img src=x onerror=\"hacked=1\">'&lt;\x01\n\x1B";
const std::string kUnseen =
    "a\xE2\x80\xAE"
    "b\xFF"
    "c\xE2\x80\xA8";

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

Entry File(uint64_t size = 1, uint32_t mode = 0644) {
  return {.kind = EntryKind::kFile, .mode = mode, .size = size};
}
Entry Folder() { return {.kind = EntryKind::kDirectory, .mode = 0755}; }

PlannedChange Planned(Change change, ChangeAction action = ChangeAction::kApply,
                      std::string why = "") {
  return {.change = std::move(change), .action = action, .why = std::move(why)};
}
PlannedChange Added(const std::string& path) { return Planned({.path = path, .after = File()}); }
PlannedChange Edited(const std::string& path, ChangeAction action = ChangeAction::kApply,
                     std::string why = "") {
  return Planned({.path = path, .before = File(), .after = File()}, action, std::move(why));
}

Review ReviewOf(std::vector<PlannedChange> changes,
                const std::string& diff = "@@ -1 +1 @@\n-a\n+b\n") {
  return {.id = "k7fq",
          .facts = {{"Command", "npm install"}},
          .plan = {.merge = {.changes = std::move(changes)}, .branches = {}},
          .describe = [](const PlannedChange&) { return "described"; },
          .diff = [diff](const PlannedChange&) { return diff; },
          .sides = [diff](const PlannedChange&) { return ConflictSides{.staged = diff}; }};
}

std::string TitleOf(const std::string& page) {
  const size_t begin = page.find("<h1>") + 4;
  return page.substr(begin, page.find("</h1>") - begin);
}

}  // namespace

TEST_CASE("review page: the title says what applying does") {
  using enum PlannedChange::Action;
  CHECK(TitleOf(ReviewHtml(ReviewOf({}))) == "Nothing to apply");
  CHECK(TitleOf(ReviewHtml(ReviewOf({Added("a"), Edited("b", kMerge)}))) == "2 changes to apply");
  CHECK(TitleOf(ReviewHtml(ReviewOf({Added("a"), Edited("b", kHold)}))) ==
        "1 change to apply, 1 held back");
  CHECK(TitleOf(ReviewHtml(ReviewOf({Added("a"), Edited("b", kConflict)}))) ==
        "Not to be applied before you decide about 1 conflict");
  Review running = ReviewOf({Added("a")});
  running.is_final = false;
  const std::string page = ReviewHtml(running);
  CHECK(TitleOf(page) == "1 change so far");
  CHECK(CountOf(page, "The command still runs") == 1);
}

TEST_CASE("review page: hostile names and contents stay text") {
  const Result<std::string> hunks = UnifiedHunks(kUnseen + "\n", kHostile + "\n");
  REQUIRE(hunks.has_value());
  Review review = ReviewOf({Edited(kHostile), Edited(kUnseen + "/" + kHostile),
                            Edited("c/" + kHostile, ChangeAction::kConflict, kHostile),
                            Edited("h/" + kHostile, ChangeAction::kHold, kHostile)},
                           *hunks);
  review.facts = {{kHostile, kHostile}};
  review.plan.branches = {{kHostile, kHostile, kHostile, kHostile}};
  review.describe = [](const PlannedChange&) { return kHostile; };
  review.sides = [&hunks](const PlannedChange&) {
    return ConflictSides{.staged = *hunks, .mine = *hunks, .base = kHostile + kUnseen};
  };
  const std::string page = ReviewHtml(review);
  CHECK(CountOf(page, "<img") == 0);
  CHECK(CountOf(page, "<script") == 0);
  CHECK(CountOf(page, "</script") == 0);
  CHECK(CountOf(page, "</style") == 1);
  CHECK(CountOf(page, "&lt;img src=x onerror=&quot;hacked=1&quot;&gt;") > 10);
  CHECK(CountOf(page, "<pre") == CountOf(page, "</pre"));
  CHECK(CountOf(page, "\xE2\x80\xAE") == 0);
  CHECK(CountOf(page, "\xE2\x80\xA8") == 0);
  CHECK(CountOf(page, "\xFF") == 0);
  CHECK(CountOf(page, "\x1B") == 0);
  CHECK(CountOf(page, "a\\u202eb\xEF\xBF\xBD") > 2);
  CHECK(CountOf(page, "script-src") == 0);
  CHECK(CountOf(page, "default-src 'none'; style-src 'sha256-") == 1);
}

TEST_CASE("review page: lines have their numbers, and tabs stay") {
  const ShownDiff shown = ShowDiffLines("@@ -3 +3,2 @@\n-\ta\n+\tb\n+<\n\\ No newline\n",
                                        {.bytes = 10'000, .line_bytes = 100});
  CHECK(shown.counts == LineCounts{2, 1});
  CHECK_FALSE(shown.is_cut);
  CHECK(shown.html ==
        "<pre class=\"diff\"><span class=\"hunk\">@@ -3 +3,2 @@\n</span>"
        "<span class=\"del\" data-old=\"3\">-\ta\n</span>"
        "<span class=\"add\" data-new=\"3\">+\tb\n</span>"
        "<span class=\"add\" data-new=\"4\">+&lt;\n</span>"
        "<span class=\"mark\">\\ No newline\n</span></pre>\n");
  CHECK(ShowDiffLines("", {.bytes = 100, .line_bytes = 100}).html.empty());
  CHECK(ShowTextLines("a\nb", {.bytes = 1000, .line_bytes = 100}).html ==
        "<pre class=\"diff\"><span class=\"same\" data-old=\"1\"> a\n</span>"
        "<span class=\"same\" data-old=\"2\"> b\n</span></pre>\n");
}

TEST_CASE("review page: long lines and large diffs are cut, and say so") {
  const std::string diff = "@@ -1 +1,2 @@\n-a\n+" + std::string(5000, 'x') + "\n+end\n";
  const ShownDiff line = ShowDiffLines(diff, {.bytes = 100'000, .line_bytes = 100});
  CHECK(CountOf(line.html, "<i>4,900 more bytes</i>") == 1);
  CHECK(CountOf(line.html, "+end") == 1);
  const ShownDiff whole = ShowDiffLines(diff, {.bytes = 1000, .line_bytes = 10'000});
  CHECK(whole.is_cut);
  CHECK(whole.counts == LineCounts{2, 1});
  CHECK(CountOf(whole.html, "+end") == 0);
  CHECK(ShowTextLines(std::string(5000, 'x'), {.bytes = 10, .line_bytes = 10'000}).is_cut);

  const ReviewLimits limits{
      .diff_bytes = 1000, .page_bytes = 5000, .listed = 3, .line_bytes = 9000};
  const std::string cut = ReviewHtml(ReviewOf({Edited("it's")}, diff), limits);
  CHECK(CountOf(cut, "The rest of this diff is left out") == 1);
  CHECK(CountOf(cut, "ringfence stage diff k7fq &#39;it&#39;\\&#39;&#39;s&#39;") == 1);
  std::vector<PlannedChange> many;
  for (const char* name : {"a", "b", "c", "d", "e"}) many.push_back(Edited(name));
  const std::string page = ReviewHtml(ReviewOf(many), {.page_bytes = 400, .listed = 3});
  CHECK(CountOf(page, "<pre") == 2);
  CHECK(CountOf(page, "This diff is left out") == 1);
  CHECK(CountOf(page, "2 more changes not listed here, 2 of them to what the project has") == 1);
  const std::string mixed = ReviewHtml(
      ReviewOf({Added("a"), Added("b"), Added("c"), Edited("d"), Edited("e")}), {.listed = 2});
  CHECK(CountOf(mixed, "3 more changes not listed here</li>") == 1);
  CHECK(CountOf(mixed, "<code>d</code>") == 1);
  CHECK(CountOf(mixed, "<code>a</code>") == 0);
}

TEST_CASE("review page: files in large directories leave the space to others") {
  std::vector<PlannedChange> changes;
  for (int i = 0; i < 30; ++i) changes.push_back(Edited("many/" + std::to_string(100 + i)));
  changes.push_back(Edited("src/one"));
  const std::string page = ReviewHtml(ReviewOf(changes), {.page_bytes = 200});
  CHECK(CountOf(page, "<pre") == 1);
  CHECK(page.find("<pre") > page.find("<code>one</code>"));
  CHECK(CountOf(page, "<details class=\"folder piece\"><summary><code>many/</code>") == 1);
  CHECK(CountOf(page, "<details class=\"folder\" open><summary><code>src/</code>") == 1);
}

TEST_CASE("review page: directories, moves and modes") {
  std::vector<PlannedChange> changes = {
      Planned({.path = "a", .after = Folder()}),
      Planned({.path = "a/b", .after = Folder()}),
      Added("a/b/file"),
      Planned({.path = "empty", .after = Folder()}),
      Planned({.path = "mode",
               .before = File(1, 0644),
               .after = File(1, 0755),
               .is_same_content = true}),
      Planned({.path = "new", .after = File(), .moved_from = "old"}),
      Planned({.path = "old", .before = File()}),
      Planned({.path = "other", .before = File()})};
  Review review = ReviewOf(changes, "");
  const std::string page = ReviewHtml(review);
  CHECK(CountOf(page, "<code>a/b/</code> <span class=\"badge added\">") == 1);  // as one
  CHECK(CountOf(page, "<code>empty/</code>") == 1);
  CHECK(CountOf(page, "<code>mode</code> <span class=\"badge changed\">mode</span>") == 1);
  CHECK(CountOf(page, "<code>new</code> <span class=\"badge moved\">moved</span>") == 1);
  CHECK(CountOf(page, "<code>old</code>") == 0);
  CHECK(CountOf(page, "<code>other</code> <span class=\"badge removed\">deleted</span>") == 1);
  CHECK(CountOf(page, "<ul") == CountOf(page, "</ul>"));
  CHECK(CountOf(page, "<details") == CountOf(page, "</details>"));
  CHECK(CountOf(page, "<li") == CountOf(page, "</li>"));
}

TEST_CASE("review page: a directory's own change is listed besides its contents") {
  Entry closed = Folder();
  closed.mode = 0700;
  Entry named = Folder();
  named.attributes = {{"user.a", "1"}};
  const std::string page = ReviewHtml(ReviewOf(
      {Planned({.path = "a", .before = Folder(), .after = closed}),
       Planned({.path = "a/b", .before = Folder(), .after = named}), Added("a/b/file"),
       Planned({.path = "old", .before = Folder()}), Planned({.path = "old/x", .before = File()})},
      ""));
  CHECK(CountOf(page, "<code>a/</code> <span class=\"badge changed\">mode</span>") > 0);
  CHECK(CountOf(page, "<code>b/</code> <span class=\"badge changed\">attributes</span>") > 0);
  CHECK(CountOf(page, "<code>old/</code> <span class=\"badge removed\">") == 1);
}

TEST_CASE("review page: what is not applied, and why") {
  using enum PlannedChange::Action;
  std::vector<PlannedChange> changes = {Edited("c", kConflict, "both"),
                                        Edited("h", kHold, "policy"), Edited("m", kMerge),
                                        Edited("s", kSkip, "a FIFO")};
  changes.push_back(Edited(".git/index", kSkip, "git's own"));
  changes.back().is_gits = true;
  changes.push_back(Edited(".git/hooks/x", kHold, "runs later"));
  changes.back().is_gits = true;
  Review review = ReviewOf(changes);
  review.plan.branches = {{".git", "main", std::string(40, 'a'), "stage/k7fq"}};
  const std::string page = ReviewHtml(review);
  for (const char* id : {"conflicts", "held", "never", "branches", "changes"}) {
    CAPTURE(id);
    CHECK(CountOf(page, "<h2 id=\"" + std::string(id) + "\"") == 1);
    CHECK(CountOf(page, "<li><a href=\"#" + std::string(id) + "\"") == 1);
  }
  CHECK(CountOf(page, "<code>h</code> <span class=\"why\">policy</span>") == 1);
  CHECK(CountOf(page, ".git/hooks/x</code> <span class=\"why\">runs later") == 1);
  CHECK(CountOf(page, ".git/index") == 0);
  CHECK(CountOf(page, "merged with your changes") == 1);
  CHECK(CountOf(page, "From the project&#39;s version") +
            CountOf(page, "From the project's version") ==
        1);
  CHECK(CountOf(page, "<code>aaaaaaaaaaaa</code>") == 1);
  review.sides = [](const PlannedChange&) {
    return ConflictSides{
        .staged = "@@ -1 +1 @@\n-a\n+b\n", .mine = "@@ -1 +1 @@\n-a\n+c\n", .base = "a\n"};
  };
  const std::string sides = ReviewHtml(review);
  for (const char* title :
       {"Changed by the stage", "Changed in the project meanwhile", "The version before both"}) {
    CAPTURE(title);
    CHECK(CountOf(sides, title) == 1);
  }
}

TEST_CASE("review page: long lists of what stays are cut") {
  std::vector<PlannedChange> changes;
  for (int i = 0; i < 510; ++i) {
    changes.push_back(Edited("f" + std::to_string(1000 + i), ChangeAction::kHold, "because"));
  }
  const std::string page = ReviewHtml(ReviewOf(changes), {.listed = 1});
  CHECK(CountOf(page, "<span class=\"why\">because</span>") == 500);
  CHECK(CountOf(page, "<li class=\"note\">10 more</li>") == 1);
}
