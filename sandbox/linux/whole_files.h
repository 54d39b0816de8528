// Files of git that can lead it to programs. No caller writes in them: git saves most by a rename,
// so the content of the new file is evaluated and a copy that no caller has open takes its place.
#pragma once

#include <cstdint>
#include <string_view>

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// A new file is put together under this name, which callers may not use.
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

// Git writes it in place, so it is made with the content that git gives it, whatever a caller
// writes.
bool IsMadeFixed(WholeFile file);

// rename(2) of `from` to the whole file `to`. 0 or an errno value; a refusal is reported.
int SaveWhole(Supervision& supervision, const Location& from, const Location& to, bool replaces);

// Makes a file that IsMadeFixed(). 0 or an errno value.
int MakeFixed(const Location& location, WholeFile file);

}  // namespace ringfence
