#include "staging/text_merge.h"

#include <git2.h>

#include "staging/libgit2.h"

namespace ringfence {
namespace {

git_merge_file_input MergeInput(std::string_view text) {
  git_merge_file_input input = GIT_MERGE_FILE_INPUT_INIT;
  input.ptr = text.data();
  input.size = text.size();
  return input;
}

}  // namespace

Result<MergedText> MergeTexts(const TextVersions& versions) {
  if (Status s = StartLibgit2(); !s) return s.error();
  const git_merge_file_input base = MergeInput(versions.base);
  const git_merge_file_input project = MergeInput(versions.project);
  const git_merge_file_input staged = MergeInput(versions.staged);
  git_merge_file_options options = GIT_MERGE_FILE_OPTIONS_INIT;
  options.ancestor_label = "base";
  options.our_label = "working tree";
  options.their_label = "stage";
  options.flags = GIT_MERGE_FILE_STYLE_DIFF3;
  git_merge_file_result result{};
  if (git_merge_file(&result, &base, &project, &staged, &options) != 0) {
    return Libgit2Error("merge");
  }
  MergedText merged{.text = std::string(result.ptr, result.len),
                    .is_clean = result.automergeable != 0};
  git_merge_file_result_free(&result);
  return merged;
}

}  // namespace ringfence
