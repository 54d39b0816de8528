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
