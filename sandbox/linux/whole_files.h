// Git's files that can make it run programs. No caller writes to them: git saves most of them by a
// rename, so the content of the new file is evaluated and a copy that no caller has open takes its
// place.
#pragma once

#include <cstdint>
#include <string_view>

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// Temporary name for a new file, which callers may not use.
inline constexpr std::string_view kUnsaved = "ringfence-unsaved";

enum class WholeFile : uint8_t {
  kNone,
  kConfig,      // config, config.worktree
  kRebaseTodo,  // git-rebase-todo
  kSequencer,   // sequencer/opts
  kCommonDir,   // worktrees/NAME/commondir, which leads from a work tree to its repository
  kStrategy,    // rebase-merge/strategy
};
WholeFile WholeFileOf(const Location& location);

// True if git writes the file in place. The file is then created with the content that git gives
// it, whatever a caller writes.
bool IsMadeFixed(WholeFile file);

// Carries out rename(2) of `from` to the whole file `to`. Returns 0 or an errno value, and reports
// a refusal.
int SaveWhole(Supervision& supervision, const Location& from, const Location& to, bool replaces);

// Creates a file for which IsMadeFixed() is true. Returns 0 or an errno value.
int MakeFixed(const Location& location, WholeFile file);

}  // namespace ringfence
