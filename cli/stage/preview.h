// A short list of changes for people: one line per file, or per directory with many of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/stage/apply_stage.h"
#include "staging/change_list.h"
#include "staging/stage.h"

namespace ringfence {

struct PreviewLine {
  std::string path;  // "src/main.c", or "node_modules/" for a directory with its contents
  std::string what;  // "+1 line", "+142 files", "deleted", "binary, 3 KB -> 4 KB"
};

// Quoted paths are not cut below this length.
constexpr size_t kMaxShownPath = 32768;

// The path as it is shown before other text: quoted as in JSON, if it has white space, quotes,
// backslashes or invisible characters.
std::string ShownPath(std::string_view path);
// The same on a line of its own, where spaces need no quotes.
std::string PathLine(std::string_view path);

// A directory with at least this many changes has one line.
constexpr size_t kManyChanges = 20;

// "new commits on main, as branch stage/k7fq"
std::string DescribeBranch(const StagedBranch& branch);

std::vector<PreviewLine> MakePreview(const Stage& stage, const StagePlan& plan);

// "  package.json (+1 line)\n" for each line.
std::string PreviewText(const std::vector<PreviewLine>& lines);

// What was moved is shown once, where it is now; a moved directory without its contents. Returns
// for each change if it is not to be shown.
std::vector<bool> ShownElsewhere(const ChangeList& changes);

// "mode 644 -> 755"; "" if the permissions stay.
std::string DescribeMode(const Change& change);

// "+1 line, -2 lines", "mode 644 -> 755", ...: the line of one change, without its path.
std::string DescribeChange(const Stage& stage, const Change& change);

}  // namespace ringfence
