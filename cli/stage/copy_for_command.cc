#include "cli/stage/copy_for_command.h"

#include <unistd.h>

#include <optional>
#include <string>

#include "base/syscall.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/stage/stage_choice.h"
#include "run/messages.h"
#include "staging/project_copy.h"

namespace ringfence {
namespace {

Result<CopiedProject> Copy(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const Result<StageFolder> folder = ChooseFolder(*store, options.id);
  if (!folder) return folder.error();
  const Result<StageRecord> record = folder->Load();
  if (!record) return record.error();
  std::optional<Progress> bar;
  return CopyProject(*folder, *record, [&bar](size_t, size_t all) {
    if (!bar) bar.emplace("copy", all, true, "files");
    bar->Add(1);
  });
}

}  // namespace

Outcome CopyForCommand(const StageOptions& options) {
  const Result<CopiedProject> copied = Copy(options);
  if (!copied) {
    [[maybe_unused]] const Status told = WriteAll(STDOUT_FILENO, copied.error().text());
    return 1;
  }
  if (copied->unread.empty()) return 0;
  const size_t others = copied->unread.size() - 1;
  Say("note: the copy has no contents of what you may not read: " +
      Printable(copied->unread.front()) +
      (others > 0 ? " and " + std::to_string(others) + " more" : ""));
  return 0;
}

}  // namespace ringfence
