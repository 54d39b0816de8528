// State of a stopped rebase or cherry-pick: the files that git may save.
#include <doctest/doctest.h>

#include <string>

#include "sandbox/git_config.h"

using namespace ringfence;

TEST_CASE("git state: a todo list of git's own commands may be saved") {
  CHECK_FALSE(WhyNoRebaseTodo(""));
  CHECK_FALSE(WhyNoRebaseTodo("pick 1234 first\nfixup -C 5678 second\n\n# Rebase 1..2\n"));
  CHECK_FALSE(
      WhyNoRebaseTodo("label onto\nreset onto\nmerge -C 12 x # x\nupdate-ref refs/heads/x\n"));
  CHECK_FALSE(WhyNoRebaseTodo("  p 1234 x\r\nbreak\nnoop"));
  CHECK_FALSE(WhyNoRebaseTodo("; a comment of core.commentChar\n"));
}

TEST_CASE("git state: a todo list that runs a program, or might, is refused") {
  CHECK(WhyNoRebaseTodo("exec make\n") == "line 1 may run a program");
  CHECK(WhyNoRebaseTodo("pick 12 x\nx make\n") == "line 2 may run a program");
  for (const std::string text : {"\texec make", "pick 1 x\n exec make\n", "EXEC make", "exec",
                                 "picks 12", "\r\nexec make", "later 1"}) {
    CAPTURE(text);
    CHECK(WhyNoRebaseTodo(text));
  }
  CHECK(WhyNoRebaseTodo(std::string("pick 1\0exec make", 16)) == "it is not a text");
}

TEST_CASE("git state: options of a cherry-pick name only git's own strategies") {
  CHECK_FALSE(WhyNoSequencerOptions("[options]\n\tmainline = 1\n\tstrategy-option = theirs\n"));
  CHECK_FALSE(WhyNoSequencerOptions("[options]\n\tstrategy = ort\n"));
  CHECK(WhyNoSequencerOptions("[options]\n\tstrategy = x/../../evil\n") ==
        "the merge strategy \"x/../../evil\" is not one of git's own");
  for (const char* text : {"[options] strategy=evil", "[OPTIONS]\nSTRATEGY = \"evil\"",
                           "[options]\nstrategy = o\\\nrtx", "[options]strategy",
                           "[options]\nstrategy = ort\nstrategy = evil"}) {
    CAPTURE(text);
    CHECK(WhyNoSequencerOptions(text));
  }
  CHECK(WhyNoSequencerOptions("[include]\n\tpath = /tmp/x\n"));
}
