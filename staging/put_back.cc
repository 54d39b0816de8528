#include "staging/put_back.h"

#include <fcntl.h>

#include <utility>

#include "base/syscall.h"
#include "files/beneath.h"
#include "files/step_journal.h"
#include "files/system_calls.h"

namespace ringfence {
namespace {

constexpr const char* kPutBack = "put-back";  // in the stage's directory (RenderContents())
constexpr size_t kMaxPutBack = size_t{256} << 20;

// A step with a mark replaces what the project had when the stage began.
bool ReplacesBaseFile(const TreeStep& step) {
  return step.mark && step.kind != DoneStep::Kind::kMode &&
         (step.expected.is_file() || step.expected.is_link());
}

}  // namespace

void NotePutBack(const Stage& stage, const std::vector<TreeStep>& steps) {
  PutBack noted = ReadPutBack(stage.folder());
  for (const TreeStep& step : steps) {
    if (!ReplacesBaseFile(step)) continue;
    const Result<UniqueFd> folder = OpenFolderOf(stage.project(), step.path);
    if (!folder) continue;
    const Result<Entry> now = LookAt(folder->get(), std::string(NameOf(step.path)), step.path);
    // The same comparison as that of the apply itself.
    if (now && IsUnchanged(*now, step.expected)) noted.insert_or_assign(step.path, *now);
  }
  if (noted.empty()) return;
  const Contents contents(noted.begin(), noted.end());
  // Undoing the apply has made room, also on a disk that was full.
  (void)stage.folder().Write(kPutBack, RenderContents(contents));
}

PutBack ReadPutBack(const StageFolder& folder) {
  const Result<UniqueFd> file = OpenBeneath(folder.fd(), kPutBack, O_RDONLY | O_NOFOLLOW);
  if (!file) return {};
  const Result<std::string> text = ReadAll(file->get(), kMaxPutBack, kPutBack);
  Result<Contents> contents = text ? ParseContents(*text, kPutBack) : text.error();
  if (!contents) return {};
  PutBack noted;
  for (auto& [path, entry] : *contents) noted.insert_or_assign(std::move(path), std::move(entry));
  return noted;
}

}  // namespace ringfence
