// Finding files and splitting them into lines.
#include "cli/replay/line_chunks.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>
#include <string>
#include <vector>

#include "base/syscall.h"
#include "base/text.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

struct Cut {
  std::vector<std::string> lines;  // "FILE:TEXT"; "FILE!" for a skipped file
  uint64_t bytes = 0;
  bool begins_rightly = true;
};

Cut CutUp(LineChunks& chunks, size_t most) {
  Cut cut;
  Chunk chunk;
  size_t number = 0;
  size_t last_file = SIZE_MAX;
  while (chunks.Take(chunk)) {
    CHECK(chunk.number == number++);
    cut.begins_rightly = cut.begins_rightly && chunk.begins_file == (chunk.file != last_file);
    last_file = chunk.file;
    cut.bytes += chunk.size;
    const std::string file = std::to_string(chunk.file);
    if (chunk.too_long) cut.lines.push_back(file + "!");
    std::string_view rest = chunk.text;
    while (!rest.empty()) {
      const std::string_view line = TakeUntil(rest, '\n');
      cut.lines.push_back(line.size() > most ? file + "!" : file + ":" + std::string(line));
    }
  }
  return cut;
}

Cut CutFiles(const TranscriptFiles& files, LineChunks::Sizes sizes) {
  LineChunks chunks(files.files, sizes);
  const Cut cut = CutUp(chunks, sizes.line);
  CHECK(chunks.unreadable().empty());
  return cut;
}

std::vector<std::string> NamesOf(const TranscriptFiles& files, const std::string& root) {
  std::vector<std::string> names;
  for (const TranscriptFile& file : files.files)
    names.push_back(file.shown.substr(root.size() + 1));
  return names;
}

TEST_CASE("line chunks: every line comes once, whatever the size of the chunks") {
  const TemporaryTree tree;
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const size_t longest = round % 2 == 0 ? 10 : 60;
    std::vector<std::string> wanted;
    uint64_t bytes = 0;
    for (int file = 0; file < 3; ++file) {
      std::string text;
      const size_t count = random() % 12;
      for (size_t i = 0; i < count; ++i) {
        const std::string line(random() % (longest + 1), static_cast<char>('a' + i));
        const bool is_last = i + 1 == count;
        const bool has_newline = !is_last || random() % 2 == 0;
        text += line + (has_newline ? "\n" : "");
        if (is_last && !has_newline && line.empty()) continue;
        wanted.push_back(std::to_string(file) + (line.size() > 40 ? "!" : ":" + line));
      }
      bytes += text.size();
      tree.File(std::to_string(file) + ".jsonl", text);
    }
    const Result<TranscriptFiles> files = FindTranscripts({tree.root()});
    REQUIRE(files);
    CHECK(files->size == bytes);
    for (const size_t chunk : {1u, 7u, 16u, 64u, 4096u}) {
      CAPTURE(round);
      CAPTURE(chunk);
      const Cut cut = CutFiles(*files, {.chunk = chunk, .line = 40});
      CHECK(cut.lines == wanted);
      CHECK(cut.bytes == bytes);
      CHECK(cut.begins_rightly);
    }
  }
}

TEST_CASE("line chunks: available lines are delivered before more arrive") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  LineChunks chunks(in.get(), {});
  Chunk chunk;
  for (const std::string line : {"one\n", "two\nthree\n"}) {
    REQUIRE(WriteAll(out.get(), line));
    REQUIRE(chunks.Take(chunk));
    CHECK(chunk.text == line);
  }
  REQUIRE(WriteAll(out.get(), "torn"));
  out = UniqueFd();
  REQUIRE(chunks.Take(chunk));
  CHECK(chunk.text == "torn");
  CHECK_FALSE(chunks.Take(chunk));
}

TEST_CASE("line chunks: a file that shrinks ends early, and a removed file is named") {
  const TemporaryTree tree;
  tree.File("a.jsonl", std::string(100, 'x') + "\n" + std::string(100, 'y') + "\n");
  tree.File("b.jsonl", "b\n");
  tree.File("c.jsonl", "c\n");
  const Result<TranscriptFiles> files = FindTranscripts({tree.root()});
  REQUIRE(files);
  REQUIRE(files->files.size() == 3);
  LineChunks chunks(files->files, {.chunk = 64, .line = 1000});
  Chunk chunk;
  REQUIRE(chunks.Take(chunk));
  REQUIRE(::truncate(tree.At("a.jsonl").c_str(), 10) == 0);
  REQUIRE(::unlink(tree.At("b.jsonl").c_str()) == 0);
  REQUIRE(chunks.Take(chunk));
  while (chunk.file == 0) REQUIRE(chunks.Take(chunk));
  CHECK(chunk.text == "c\n");
  CHECK(chunk.begins_file);
  REQUIRE(chunks.unreadable().size() == 1);
  CHECK(chunks.unreadable()[0].where == tree.At("b.jsonl"));
}

TEST_CASE("transcript files: directories are walked in order, a session before its subagents") {
  const TemporaryTree tree;
  for (const char* name : {"p/s1/subagents/agent-a.jsonl", "p/s1.jsonl", "p/s0.jsonl", "a.jsonl",
                           "p/s1/subagents/agent-a.meta.json", "z/notes.txt"}) {
    tree.File(name, "{}\n");
  }
  const Result<TranscriptFiles> files = FindTranscripts({tree.root()});
  REQUIRE(files);
  CHECK(NamesOf(*files, tree.root()) == std::vector<std::string>{"a.jsonl", "p/s0.jsonl",
                                                                 "p/s1.jsonl",
                                                                 "p/s1/subagents/agent-a.jsonl"});
  CHECK(files->unreadable.empty());
}

TEST_CASE("transcript files: no link is followed, and no FIFO blocks") {
  const TemporaryTree tree;
  const TemporaryTree outside;
  outside.File("x.jsonl", "{}\n");
  tree.Link("link.jsonl", outside.At("x.jsonl"));
  tree.Link("folder", outside.root());
  tree.File("real.jsonl", "{}\n");
  REQUIRE(::mkfifo(tree.At("fifo.jsonl").c_str(), 0600) == 0);
  const Result<TranscriptFiles> files = FindTranscripts({tree.root()});
  REQUIRE(files);
  CHECK(NamesOf(*files, tree.root()) == std::vector<std::string>{"real.jsonl"});
}

TEST_CASE("transcript files: a directory that becomes a link after the walk is not followed") {
  const TemporaryTree tree;
  const TemporaryTree outside;
  outside.File("x.jsonl", "outside\n");
  tree.File("p/x.jsonl", "inside\n");
  const Result<TranscriptFiles> files = FindTranscripts({tree.root()});
  REQUIRE(files);
  REQUIRE(files->files.size() == 1);
  CHECK(OpenTranscript(files->files[0]));
  REQUIRE(::rename(tree.At("p").c_str(), tree.At("q").c_str()) == 0);
  tree.Link("p", outside.root());
  CHECK_FALSE(OpenTranscript(files->files[0]));
  REQUIRE(::unlink(tree.At("p").c_str()) == 0);
  REQUIRE(::mkdir(tree.At("p").c_str(), 0700) == 0);
  REQUIRE(::mkfifo(tree.At("p/x.jsonl").c_str(), 0600) == 0);
  CHECK_FALSE(OpenTranscript(files->files[0]));
}

TEST_CASE("transcript files: a file named explicitly is read under any name and through a link") {
  const TemporaryTree tree;
  tree.File("log.txt", "{}\n");
  tree.Link("link", tree.At("log.txt"));
  const Result<TranscriptFiles> files = FindTranscripts({tree.At("link")});
  REQUIRE(files);
  REQUIRE(files->files.size() == 1);
  CHECK(OpenTranscript(files->files[0]));
  const Result<TranscriptFiles> missing = FindTranscripts({tree.At("link"), tree.At("none")});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().what == "does not exist");
}

}  // namespace
