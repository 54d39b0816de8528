#include "staging/text_diff.h"

#include <git2.h>

#include <algorithm>
#include <memory>

#include "staging/libgit2.h"

namespace ringfence {
namespace {

struct FreePatch {
  void operator()(git_patch* patch) const { git_patch_free(patch); }
};
using Patch = std::unique_ptr<git_patch, FreePatch>;

Result<Patch> MakePatch(std::string_view before, std::string_view after) {
  if (Status s = StartLibgit2(); !s) return s.error();
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
  git_patch* patch = nullptr;
  const int code = git_patch_from_buffers(&patch, before.data(), before.size(), nullptr,
                                          after.data(), after.size(), nullptr, &options);
  if (code != 0) return Libgit2Error("compare");
  return Patch(patch);
}

// As git counts them: the last line need not end.
size_t LinesIn(std::string_view text) {
  const auto ends = static_cast<size_t>(std::ranges::count(text, '\n'));
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace

bool IsBinary(std::string_view bytes) {
  constexpr size_t kBeginning = 8000;
  return bytes.substr(0, kBeginning).find('\0') != bytes.npos;
}

bool HasTooManyLines(std::string_view text) { return LinesIn(text) > kMaxDiffedLines; }

Result<LineCounts> CountLines(std::string_view before, std::string_view after) {
  if (before.empty() || after.empty()) return LineCounts{LinesIn(after), LinesIn(before)};
  const Result<Patch> patch = MakePatch(before, after);
  if (!patch) return patch.error();
  LineCounts counts;
  const int code = git_patch_line_stats(nullptr, &counts.added, &counts.removed, patch->get());
  if (code != 0) return Libgit2Error("count lines");
  return counts;
}

Result<std::string> UnifiedHunks(std::string_view before, std::string_view after) {
  const Result<Patch> patch = MakePatch(before, after);
  if (!patch) return patch.error();
  git_buf buffer = GIT_BUF_INIT;
  if (git_patch_to_buf(&buffer, patch->get()) != 0) return Libgit2Error("print a patch");
  std::string text(buffer.ptr, buffer.size);
  git_buf_dispose(&buffer);
  const size_t begin = text.starts_with("@@") ? 0 : text.find("\n@@");
  if (begin == text.npos) return std::string();
  return text.substr(begin == 0 ? 0 : begin + 1);
}

}  // namespace ringfence
