#include "staging/moves.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace ringfence;

namespace {

using Files = std::map<std::string, std::string>;

Entry FileOf(const std::string& text) {
  return {.kind = EntryKind::kFile, .mode = 0644, .size = text.size()};
}
Entry Folder() { return {.kind = EntryKind::kDirectory, .mode = 0755}; }
Entry LinkTo(const std::string& target) { return {.kind = EntryKind::kLink, .target = target}; }

// The changes of a stage that has removed some files and created others. A path that ends with "/"
// is a directory, a text that begins with "->" the target of a link.
ChangeList Found(const Files& removed, const Files& created) {
  ChangeList changes;
  const auto entry = [](const std::string& path, const std::string& text) {
    if (path.ends_with('/')) return Folder();
    return text.starts_with("->") ? LinkTo(text.substr(2)) : FileOf(text);
  };
  const auto name = [](std::string path) {
    if (path.ends_with('/')) path.pop_back();
    return path;
  };
  for (const auto& [path, text] : removed) {
    changes.push_back({.path = name(path), .before = entry(path, text), .is_edit = true});
  }
  for (const auto& [path, text] : created) {
    changes.push_back({.path = name(path), .after = entry(path, text)});
  }
  std::ranges::sort(changes, PathBefore, &Change::path);
  const auto read = [](const Files& files) {
    return [&files](const std::string& path) -> Result<std::string> { return files.at(path); };
  };
  FindMoves(changes, read(removed), read(created));
  return changes;
}

std::string SourceOf(const ChangeList& changes, const std::string& path) {
  for (const Change& change : changes) {
    if (change.path == path) return change.moved_from;
  }
  return "not there";
}

}  // namespace

TEST_CASE("moves: a file with the content of one that is gone was moved") {
  const ChangeList changes = Found({{"a", "text"}, {"b", "xxxx"}}, {{"c", "text"}, {"d", "other"}});
  CHECK(SourceOf(changes, "c") == "a");
  CHECK(SourceOf(changes, "d").empty());
}

TEST_CASE("moves: of several files with one content, the one of the same name is meant") {
  const ChangeList changes =
      Found({{"a/x", "same"}, {"a/y", "same"}}, {{"b/x", "same"}, {"b/z", "same"}});
  CHECK(SourceOf(changes, "b/x") == "a/x");
  CHECK(SourceOf(changes, "b/z").empty());
  CHECK(SourceOf(Found({{"a", "same"}}, {{"b", "same"}, {"c", "same"}}), "b").empty());
}

TEST_CASE("moves: empty files and large files are not compared") {
  CHECK(SourceOf(Found({{"a", ""}}, {{"b", ""}}), "b").empty());
}

TEST_CASE("moves: a directory was moved if everything in it was, and nothing else was in it") {
  const Files old{{"a/", ""},          {"a/x", "one"}, {"a/sub/", ""},
                  {"a/sub/y", "two!"}, {"a/l", "->x"}, {"a/empty", ""}};
  Files moved{{"b/", ""},          {"b/x", "one"}, {"b/sub/", ""},
              {"b/sub/y", "two!"}, {"b/l", "->x"}, {"b/empty", ""}};
  CHECK(SourceOf(Found(old, moved), "b") == "a");
  CHECK(SourceOf(Found(old, moved), "b/sub") == "a/sub");

  Files less = moved;
  less.erase("b/x");
  CHECK(SourceOf(Found(old, less), "b").empty());
  CHECK(SourceOf(Found(old, less), "b/sub") == "a/sub");
  Files more = moved;
  more["b/new"] = "three";
  CHECK(SourceOf(Found(old, more), "b").empty());
  Files other_link = moved;
  other_link["b/l"] = "->y";
  CHECK(SourceOf(Found(old, other_link), "b").empty());
  Files other_file = moved;
  other_file["b/x"] = "ONE";
  CHECK(SourceOf(Found(old, other_file), "b").empty());
}

TEST_CASE("moves: what was moved keeps its earlier state, also in a directory") {
  const ChangeList changes = Found({{"old/", ""}, {"old/empty", ""}, {"old/f", "text"}},
                                   {{"new/", ""}, {"new/empty", ""}, {"new/f", "text"}});
  for (const Change& change : changes) {
    if (change.is_removed()) continue;
    CHECK(change.moved_from == "old" + change.path.substr(3));
    CHECK(change.moved.kind == change.after.kind);
    CHECK_FALSE(change.has_other_mode());
  }
  Change changed = changes.front();
  changed.after.mode = 0700;
  changed.after.attributes = {{"user.a", "1"}};
  CHECK(changed.has_other_mode());
  CHECK(changed.other_attributes() == std::vector<std::string>{"user.a"});
}

TEST_CASE("moves: a directory with one that is nested too deeply is shown with its contents") {
  ChangeList changes = {{.path = "new", .after = Folder()},
                        {.path = "new/deep", .after = Folder(), .is_too_deep = true},
                        {.path = "new/f", .after = FileOf("text")},
                        {.path = "old", .before = Folder()},
                        {.path = "old/deep", .before = Folder(), .is_too_deep = true},
                        {.path = "old/f", .before = FileOf("text")}};
  const auto read = [](const std::string&) -> Result<std::string> { return std::string("text"); };
  FindMoves(changes, read, read);
  CHECK(SourceOf(changes, "new").empty());
  CHECK(SourceOf(changes, "new/f") == "old/f");
}
