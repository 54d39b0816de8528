// A short list of changes for people: one line per change, or per directory with many of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/stage/plan_apply.h"
#include "staging/change_list.h"
#include "staging/stage.h"

namespace ringfence {

struct PreviewLine {
  std::string path;  // "src/main.c", or "node_modules/" for a directory with its contents
  std::string what;  // "+1 line", "+142 files, 1 mode", "deleted", "binary, 3 KB -> 4 KB"
  // It is one of the changes of the directory in a line before.
  bool is_inside = false;
  // Lines of a higher rank are left out first when there are too many.
  enum class Rank : unsigned char {
    kNotable,   // see IsNotable()
    kExisting,  // another change of what the project has
    kNew,
  };
  Rank rank = Rank::kExisting;
};

PreviewLine::Rank RankOf(const Change& change);

// A directory with at least this many changes has one line, and one for each change of what the
// project had.
constexpr size_t kManyChanges = 20;

// True for changes that no summary may hide: something in the project that can be run now or that
// others may write, is of another kind, is a link to another place or has other attributes.
bool IsNotable(const Change& change);

// "new commits on main, as branch stage/k7fq"
std::string DescribeBranch(const StagedBranch& branch);

std::vector<PreviewLine> MakePreview(const Stage& stage, const StagePlan& plan);

// "  package.json (+1 line)\n" for each line.
std::string PreviewText(const std::vector<PreviewLine>& lines);

// The same for at most `most` of the lines. The last one says how many more there are.
std::string ShortPreviewText(const std::vector<PreviewLine>& lines, const std::string& stage,
                             size_t most = 100);

// What was moved is shown once, where it is now; a moved directory without its contents, unless
// their permissions or attributes differ. Returns for each change if it is not to be shown.
std::vector<bool> ShownElsewhere(const ChangeList& changes);

}  // namespace ringfence
