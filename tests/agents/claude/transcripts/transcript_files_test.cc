#include "agents/claude/transcripts/transcript_files.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

std::vector<std::string> NamesOf(const TranscriptFiles& found) {
  std::vector<std::string> names;
  for (const TranscriptFile& file : found.files) names.push_back(file.name);
  return names;
}

// "d/d/.../d/", with `count` directories.
std::string Nested(int count) {
  std::string path;
  for (int i = 0; i < count; ++i) path += "d/";
  return path;
}

}  // namespace

TEST_CASE("transcripts: regular files named *.jsonl, a session's before its subagents'") {
  const TemporaryTree tree;
  tree.File("b.jsonl", "12345");
  tree.File("b/subagents/agent-1.jsonl", "123");
  tree.File("a.jsonl");
  tree.File("a.json");
  tree.File("memory/MEMORY.md");
  tree.Link("linked.jsonl", tree.At("a.jsonl"));
  tree.Link("folder", tree.At("b"));
  REQUIRE(::mkfifo(tree.At("fifo.jsonl").c_str(), 0600) == 0);
  const Result<TranscriptFiles> found = FindTranscripts({tree.root()});
  REQUIRE(found.has_value());
  CHECK(NamesOf(*found) ==
        std::vector<std::string>{"a.jsonl", "b.jsonl", "b/subagents/agent-1.jsonl"});
  CHECK(found->files[2].shown == tree.At("b/subagents/agent-1.jsonl"));
  CHECK(found->size == 8);
  CHECK(found->unreadable_count == 0);
}

TEST_CASE("transcripts: at most 64 directories inside each other are read") {
  const TemporaryTree tree;
  tree.File(Nested(64) + "deep.jsonl");
  const Result<TranscriptFiles> deep = FindTranscripts({tree.root()});
  REQUIRE(deep.has_value());
  CHECK(NamesOf(*deep) == std::vector<std::string>{Nested(64) + "deep.jsonl"});
  CHECK(deep->unreadable_count == 0);

  tree.File(Nested(65) + "deeper.jsonl");
  const Result<TranscriptFiles> deeper = FindTranscripts({tree.root()});
  REQUIRE(deeper.has_value());
  CHECK(deeper->files.size() == 1);
  REQUIRE(deeper->unreadable_count == 1);
  CHECK(deeper->unreadable[0].text() ==
        tree.root() + "/" + Nested(64) + "d: too many nested directories");
}

TEST_CASE("transcripts: a path that the user named must exist") {
  const TemporaryTree tree;
  const Result<TranscriptFiles> found = FindTranscripts({tree.root(), tree.At("none")});
  REQUIRE_FALSE(found.has_value());
  CHECK(found.error().text() == "\"" + tree.At("none") + "\": does not exist");
}

TEST_CASE("transcripts: a file is opened below the directory that the user named") {
  const TemporaryTree tree;
  tree.File("p/s.jsonl", "x");
  const Result<TranscriptFiles> found = FindTranscripts({tree.root(), tree.At("p/s.jsonl")});
  REQUIRE(found.has_value());
  REQUIRE(found->files.size() == 2);
  for (const TranscriptFile& file : found->files) CHECK(OpenTranscript(file).has_value());

  // A directory or a file that has become a link since then is not followed.
  REQUIRE(::rename(tree.At("p").c_str(), tree.At("q").c_str()) == 0);
  tree.Link("p", "q");
  CHECK(OpenTranscript(found->files[0]).error().code == ENOTDIR);
  REQUIRE(::unlink(tree.At("p").c_str()) == 0);
  tree.Link("p/s.jsonl", "../q/s.jsonl");
  CHECK(OpenTranscript(found->files[0]).error().code == ELOOP);
  REQUIRE(::unlink(tree.At("p/s.jsonl").c_str()) == 0);
  REQUIRE(::mkfifo(tree.At("p/s.jsonl").c_str(), 0600) == 0);
  CHECK(OpenTranscript(found->files[0]).error().what == "is not a regular file");
}
