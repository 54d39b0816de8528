// Detection of a changed audit log: the reports of `ringfence log verify` about files and anchors.
#include "cli/log/verify.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "audit_log/line.h"
#include "audit_log/system_log.h"
#include "cli/log/anchors.h"
#include "cli/log/log_files.h"
#include "tests/support/chained_lines.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

// A log in two files, and its reader.
struct World {
  TemporaryTree tree;
  Lines lines = Chained(6);

  void Write(const Lines& now) const {
    std::string old, last;
    for (size_t i = 0; i < now.size(); ++i) (i < 3 ? old : last) += now[i] + "\n";
    tree.File("log.20261014T174640.000000000Z", old);
    tree.File("log.new", "nothing of it");
    tree.File("log.20261014T1746Z", "nothing of it");
    tree.File("log", last);
  }
  LogReport Check(Anchors* anchors) const {
    LogReader reader(Path::Clean(tree.At("log")));
    REQUIRE(reader.Open().has_value());
    const Result<LogReport> report = CheckLog(reader, anchors);
    REQUIRE(report.has_value());
    return *report;
  }
  // Feeds the anchors of these lines, sent `seconds` apart, as the hook sends them.
  void Take(Anchors& anchors, const std::vector<size_t>& places, int64_t seconds = 60) const {
    const std::string name = tree.At("log");
    for (const size_t place : places) {
      uint64_t end = 0;
      for (size_t i = place < 3 ? 0 : 3; i <= place; ++i) end += lines[i].size() + 1;
      const auto later = static_cast<int64_t>(place) * seconds * 1'000'000'000;
      const WrittenLine line{name, lines[place], end, 1'792'000'000'000'000'000 + later};
      REQUIRE(anchors.Take("Oct 14 host ringfence[1]: " + AnchorMessage(line)));
    }
  }
  Anchors AnchorsOf(const std::vector<size_t>& places, int64_t seconds = 60) const {
    Anchors anchors(tree.At("log"));
    Take(anchors, places, seconds);
    return anchors;
  }
};

}  // namespace

TEST_CASE("log verify: a sound log, its files in order") {
  const World world;
  world.Write(world.lines);
  const LogReport report = world.Check(nullptr);
  CHECK(report.is_sound());
  CHECK(report.lines == 6);
  CHECK(report.files == 2);
  CHECK(report.begins_at_start);
}

TEST_CASE("log verify: a fault has its file and line, also across a rotation") {
  World world;
  world.lines.erase(world.lines.begin() + 2);
  world.Write(world.lines);
  const LogReport report = world.Check(nullptr);
  REQUIRE(report.breaks.size() == 1);
  CHECK(report.breaks[0].file == world.tree.At("log.20261014T174640.000000000Z"));
  CHECK(report.breaks[0].line == 3);
}

TEST_CASE("log verify: anchors cover the lines before them and show missing lines") {
  World world;
  world.Write(world.lines);
  Anchors anchors = world.AnchorsOf({0, 3});
  LogReport report = world.Check(&anchors);
  CHECK(report.is_sound());
  CHECK(report.covered == 4);
  // The last line is cut off, which the chain does not show.
  Anchors last = world.AnchorsOf({0, 5});
  world.Write({world.lines.begin(), world.lines.end() - 1});
  CHECK(world.Check(nullptr).is_sound());
  report = world.Check(&last);
  CHECK_FALSE(report.is_sound());
  CHECK(report.missing.size() == 1);
  CHECK(report.met == 1);
  // The whole log is rewritten.
  Anchors before = world.AnchorsOf({4});
  Lines rewritten;
  for (int i = 0; i < 6; ++i) rewritten.push_back(Behind(rewritten, 50 + i));
  world.Write(rewritten);
  CHECK(world.Check(nullptr).is_sound());
  CHECK_FALSE(world.Check(&before).is_sound());
}

TEST_CASE("log verify: anchors of lines in removed old files are not a fault") {
  const World world;
  for (const int64_t seconds : {60, 0, -60}) {  // also with a clock that was set back in between
    CAPTURE(seconds);
    Anchors anchors = world.AnchorsOf({0, 2, 3, 5}, seconds);
    world.tree.File("log", world.lines[3] + "\n" + world.lines[4] + "\n" + world.lines[5] + "\n");
    std::filesystem::remove(world.tree.At("log.20261014T174640.000000000Z"));
    const LogReport report = world.Check(&anchors);
    CHECK(report.is_sound());
    CHECK_FALSE(report.begins_at_start);
    CHECK(report.anchors_before == 2);
    CHECK(report.covered == 3);
  }
}

TEST_CASE("log verify: times in the log do not make anchors count as old") {
  const World world;
  // The whole log is rewritten, as if older files had been removed just before.
  Lines rewritten;
  std::string before = world.lines[0];
  for (int i = 0; i < 6; ++i) {
    std::string text = TextOf(50 + i);
    text.replace(text.find("2026"), 4, "2099");
    rewritten.push_back(ChainedLine(text, before, AuditLock::kHeld));
    before = rewritten.back();
  }
  world.Write(rewritten);
  CHECK(world.Check(nullptr).is_sound());
  Anchors anchors = world.AnchorsOf({0, 3});
  LogReport report = world.Check(&anchors);
  CHECK_FALSE(report.is_sound());
  CHECK(report.met == 0);
  CHECK(report.missing.size() == 2);
  CHECK(ReportText(report, Console()).find("none of the 2 anchors has its line") !=
        std::string::npos);
  // A real first line does not help: the line that was sent later is missing.
  world.tree.File("log.20261014T174640.000000000Z", world.lines[3] + "\n");
  world.tree.File("log", ChainedLine(TextOf(7), world.lines[3], AuditLock::kHeld) + "\n");
  Anchors more = world.AnchorsOf({0, 3, 5}, 0);
  report = world.Check(&more);
  CHECK(report.anchors_before == 1);
  CHECK(report.missing.size() == 1);
  // An empty log is as bad.
  std::filesystem::remove(world.tree.At("log.20261014T174640.000000000Z"));
  world.tree.File("log", "");
  Anchors gone = world.AnchorsOf({0});
  CHECK_FALSE(world.Check(&gone).is_sound());
}

TEST_CASE("log verify: anchors of several sources, each in its own order") {
  const World world;
  world.tree.File("log", world.lines[3] + "\n" + world.lines[4] + "\n" + world.lines[5] + "\n");
  Anchors anchors(world.tree.At("log"));
  world.Take(anchors, {3, 5});  // the newer file is named first
  anchors.BeginSource();
  world.Take(anchors, {0, 2});
  LogReport report = world.Check(&anchors);
  CHECK(report.is_sound());
  CHECK(report.anchors == 4);
  CHECK(report.anchors_before == 2);
  // Cut at the end, which only one source shows.
  world.tree.File("log", world.lines[3] + "\n");
  Anchors cut(world.tree.At("log"));
  world.Take(cut, {0, 2, 3});
  cut.BeginSource();
  world.Take(cut, {2, 3, 5});
  report = world.Check(&cut);
  CHECK(report.missing.size() == 1);
  CHECK(report.anchors == 4);
}

TEST_CASE("log verify: lines missing from the start of a file are not an old file") {
  World world;
  const auto check = [&world](size_t from, const std::vector<size_t>& places) {
    Anchors anchors = world.AnchorsOf(places);
    std::string old, last;
    for (size_t i = from; i < 6; ++i) (i < 3 ? old : last) += world.lines[i] + "\n";
    world.tree.File("log.20261014T174640.000000000Z", old);
    world.tree.File("log", last);
    return world.Check(&anchors);
  };
  // The first remaining line has an anchor, which records its offset in the file.
  LogReport report = check(1, {0, 1, 3});
  REQUIRE(report.breaks.size() == 1);
  CHECK(report.breaks[0].line == 1);
  CHECK(report.breaks[0].what.find("was not the beginning of its file") == 0);
  report = check(1, {0, 2, 3});
  CHECK(report.breaks.size() == 1);
  // The first remaining line has no anchor, which is normal only for a line inside a file.
  report = check(2, {0, 3});
  REQUIRE(report.breaks.size() == 1);
  CHECK(report.breaks[0].what.find("has no anchor") == 0);
  // No older line has an anchor: there may have been no anchors then.
  CHECK(check(2, {3}).is_sound());
  CHECK(check(0, {0, 3}).is_sound());
  // Empty lines do not replace the removed ones.
  world.tree.File(
      "log.20261014T174640.000000000Z",
      std::string(world.lines[0].size() + 1, '\n') + world.lines[1] + "\n" + world.lines[2] + "\n");
  Anchors anchors = world.AnchorsOf({0, 1, 3});
  CHECK_FALSE(world.Check(&anchors).is_sound());
}

TEST_CASE("log verify: a file outside the chain is named, and read") {
  const World world;
  world.Write(world.lines);
  const std::string added = "log.20261014T174641.000000000Z";
  const std::string copy = world.lines[0] + "\n" + world.lines[1] + "\n" + world.lines[2] + "\n";
  for (const std::string& text : {copy, std::string("{\"n\":1}\n"), std::string(5000, '\0')}) {
    world.tree.File(added, text);
    const LogReport report = world.Check(nullptr);
    REQUIRE(report.breaks.size() == 1);
    CHECK(report.breaks[0].file == world.tree.At(added));
    CHECK(report.files == 3);
  }
  // The log branches off at the end of the first file, with another line.
  world.tree.File(added, world.lines[3] + "\n" + world.lines[4] + "\n");
  world.tree.File("log", ChainedLine(TextOf(9), world.lines[2], AuditLock::kHeld) + "\n");
  const LogReport report = world.Check(nullptr);
  CHECK_FALSE(report.is_sound());
  CHECK(report.lines == 6);
}

TEST_CASE("log verify: reports about torn lines") {
  World world;
  const auto said = [&world](const std::string& end) {
    std::string text;
    for (const std::string& line : world.lines) text += line + "\n";
    world.tree.File("log", text + end);
    return ReportText(world.Check(nullptr), Console());
  };
  CHECK(said("{\"torn").find("1 line is torn or not written by ringfence, and not") !=
        std::string::npos);
  world.lines.emplace_back("{\"torn");
  world.lines.push_back(Behind(world.lines, 7));
  CHECK(said("").find("but covered by the next line\n") != std::string::npos);
  CHECK(said("{\"torn").find("except 1 at the end") != std::string::npos);
}

TEST_CASE("log files: a file that is truncated while it is followed is read from its beginning") {
  const World world;
  world.tree.File("log", world.lines[0] + "\n" + world.lines[1] + "\n");
  LogReader reader(Path::Clean(world.tree.At("log")));
  const auto next = [&reader] {
    const auto line = reader.Next();
    REQUIRE(line.has_value());
    return *line ? std::string((*line)->text) : "nothing";
  };
  CHECK(next() == world.lines[0]);
  CHECK(next() == world.lines[1]);
  CHECK(next() == "nothing");
  std::filesystem::resize_file(world.tree.At("log"), 0);
  CHECK(next() == "nothing");
  std::ofstream(world.tree.At("log"), std::ios::app) << world.lines[2] << "\n";
  CHECK(next() == world.lines[2]);
  CHECK(next() == "nothing");
}

TEST_CASE("log verify: anchors of other logs and lookalikes are not accepted") {
  Anchors anchors("/log");
  const auto of = [](std::string_view file) {
    return AnchorMessage({file, "{}", 1, 1'792'000'000'000'000'000});
  };
  const std::string good = of("/log");
  CHECK_FALSE(anchors.Take(of("/other")));
  CHECK_FALSE(anchors.Take("audit anchor {}"));
  CHECK_FALSE(anchors.Take(good.substr(0, good.size() - 5)));
  CHECK_FALSE(anchors.Take(""));
  std::string bad = good;
  bad.replace(bad.find("2026"), 4, "20x6");
  CHECK_FALSE(anchors.Take(bad));
  CHECK(anchors.size() == 0);
  CHECK(anchors.other_logs() == std::set<std::string>{"/other"});
  CHECK(anchors.Take(good));
  // An anchor in a line that the policy sends to the system's log, cut after the digest.
  const std::string line = LineMessage({"/log", R"({"n":1})", 1, 1'792'000'000'000'000'000});
  CHECK(anchors.Take(line.substr(0, line.find("\"line\""))));
  CHECK(anchors.size() == 2);
  // Inside another text its quotes are escaped.
  CHECK_FALSE(anchors.Take("{\"why\":\"audit anchor {\\\"file\\\":\\\"/log\\\"\"}"));
}
