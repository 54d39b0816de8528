#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/file_transaction.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

std::vector<FileChange> Changes() {
  const std::string odd("\0\n\xff\xc3:\"", 6);
  return {{.path = "/a/b" + std::string("\xff"),
           .before = odd,
           .ownership = {0640, 7, 8},
           .temporary = ".ringfence-x",
           .folders = {"/a", "/a/\xfe"},
           .ours = {std::string(64, 'a'), ""}},
          {.path = "/new", .temporary = ".ringfence-y", .ours = {std::string(64, 'b')}},
          {.path = "/folder", .is_folder = true, .before = "", .temporary = ".ringfence-z"}};
}

TEST_CASE("change journal: an entry with any bytes survives being written and read") {
  const auto parsed = ParseJournal(RenderJournal(Changes()), "journal");
  REQUIRE(parsed.has_value());
  CHECK(*parsed == Changes());
  CHECK(ParseJournal(RenderJournal({}), "journal").value().empty());
}

TEST_CASE("change journal: any changed, missing or extra byte makes it unusable") {
  const std::string whole = RenderJournal(Changes());
  for (size_t i = 0; i < whole.size(); ++i) {
    CAPTURE(i);
    CHECK_FALSE(ParseJournal(whole.substr(0, i), "journal").has_value());
    std::string other = whole;
    other[i] = static_cast<char>(other[i] ^ 1);
    CHECK_FALSE(ParseJournal(other, "journal").has_value());
  }
  CHECK_FALSE(ParseJournal(whole + "x", "journal").has_value());
}

TEST_CASE("change journal: names that no command writes make it unusable") {
  for (const char* temporary : {"x", ".ringfence-/../x", ""}) {
    CAPTURE(temporary);
    std::vector<FileChange> changes = Changes();
    changes.front().temporary = temporary;
    CHECK_FALSE(ParseJournal(RenderJournal(changes), "journal").has_value());
  }
  for (const char* path : {"relative", "/a/../b", ""}) {
    CAPTURE(path);
    std::vector<FileChange> changes = Changes();
    changes.front().path = path;
    CHECK_FALSE(ParseJournal(RenderJournal(changes), "journal").has_value());
  }
}

TEST_CASE("change journal: a journal that others could write is not read") {
  const TemporaryTree tree;
  CHECK_FALSE(ChangeJournal::IsThere(tree.root()));
  const Result<ChangeJournal> journal = ChangeJournal::Lock(tree.root());
  REQUIRE(journal.has_value());
  struct stat lock {};
  REQUIRE(::stat((journal->path() + ".lock").c_str(), &lock) == 0);
  CHECK((lock.st_mode & 07777) == 0200);  // who can read it can lock it
  CHECK(ChangeJournal::IsThere(tree.root()));
  REQUIRE(journal->Write(Changes()).has_value());
  struct stat facts {};
  REQUIRE(::stat(journal->path().c_str(), &facts) == 0);
  CHECK((facts.st_mode & 07777) == 0600);
  CHECK(journal->Read().value() == Changes());
  REQUIRE(::chmod(journal->path().c_str(), 0660) == 0);
  CHECK_FALSE(journal->Read().has_value());
  REQUIRE(journal->Remove().has_value());
  CHECK(journal->Read().value().empty());
}

}  // namespace
