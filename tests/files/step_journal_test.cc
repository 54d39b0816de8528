#include "files/step_journal.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;

namespace {

std::vector<DoneStep> Examples() {
  const Entry file{.kind = EntryKind::kFile,
                   .mode = 0644,
                   .size = 12,
                   .device = 1,
                   .inode = 2,
                   .mtime = -3,
                   .ctime = 4,
                   .owner = 5,
                   .group = 6,
                   .links = 7};
  const Entry link{.kind = EntryKind::kLink, .target = "a\xff\nb"};
  const Entry folder{.kind = EntryKind::kDirectory, .mode = 0700};
  Entry created = file;
  created.digest = std::string(64, 'a');
  return {{.path = "new", .temporary = ".ringfence-7", .placed = created, .mark = true},
          {.path = "a\xff/b", .temporary = ".ringfence-0123", .before = file, .placed = link},
          {.kind = DoneStep::Kind::kRemove,
           .path = "folder",
           .temporary = ".ringfence-45",
           .before = folder,
           .before_inside = {{"x", file}, {"y", link}}},
          {.kind = DoneStep::Kind::kMode,
           .path = "c",
           .temporary = ".ringfence-6",
           .before = folder,
           .placed_inside = {{"z", file}},
           .mode = 0755},
          {.kind = DoneStep::Kind::kMode,
           .path = "d",
           .temporary = ".ringfence-7",
           .before = folder,
           .mode = 0700,
           .old_attributes = AttributeValues{},
           .attributes = AttributeValues{{"user.a", std::string("\xff\0", 2)}},
           .mark = true}};
}

}  // namespace

TEST_CASE("step journal: the steps are read as they were written") {
  const Result<std::vector<DoneStep>> steps = ParseSteps(RenderSteps(Examples()), "journal");
  REQUIRE(steps.has_value());
  CHECK(*steps == Examples());
}

TEST_CASE("step journal: a damaged journal is refused") {
  const std::string text = RenderSteps(Examples());
  CHECK_FALSE(ParseSteps("", "journal").has_value());
  for (size_t i = 0; i < text.size(); ++i) {
    CAPTURE(i);
    CHECK_FALSE(ParseSteps(text.substr(0, i), "journal").has_value());
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    CHECK_FALSE(ParseSteps(changed, "journal").has_value());
  }
}

TEST_CASE("step journal: no path leads out of the directory") {
  for (const char* path : {"", "/etc/passwd", "..", "../a", "a/..", "a/../b"}) {
    std::vector<DoneStep> steps = Examples();
    steps.front().path = path;
    CHECK_FALSE(ParseSteps(RenderSteps(steps), "journal").has_value());
  }
  for (const char* name : {"b", ".ringfence-1/../b"}) {
    std::vector<DoneStep> steps = Examples();
    steps.front().temporary = name;
    CHECK_FALSE(ParseSteps(RenderSteps(steps), "journal").has_value());
  }
}

TEST_CASE("step journal: the contents of a directory are read as they were written") {
  Contents contents = Examples()[2].before_inside;
  contents.front().second.attributes = {{"user.a", "12ab"}, {"user.b", ""}};
  const std::string text = RenderContents(contents);
  const Result<Contents> read = ParseContents(text, "list");
  REQUIRE(read.has_value());
  CHECK(*read == contents);
  CHECK_FALSE(ParseContents(RenderSteps(Examples()), "list").has_value());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    CHECK_FALSE(ParseContents(damaged, "list").has_value());
    CHECK_FALSE(ParseContents(text.substr(0, i), "list").has_value());
  }
}
