// The transcripts below what a person named: regular files of the name *.jsonl in folders, no link
// followed, in the order of their names; and files that were named themselves, whatever they are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

struct TranscriptFile {
  std::string shown;                     // what people call it
  std::string name;                      // from `base`; "" where the file was named itself
  std::shared_ptr<const UniqueFd> base;  // the folder that was named
  uint64_t size = 0;
};

struct TranscriptFiles {
  std::vector<TranscriptFile> files;
  std::vector<Error> unreadable;  // the first of them
  uint64_t unreadable_count = 0;
  uint64_t size = 0;  // of all files
};

// An error where one of `paths` is not there or cannot be opened.
Result<TranscriptFiles> FindTranscripts(const std::vector<std::string>& paths);

// Opens what FindTranscripts() saw: below the same folder, by no link.
Result<UniqueFd> OpenTranscript(const TranscriptFile& file);

}  // namespace ringfence
