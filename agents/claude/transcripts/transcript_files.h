// Finds the transcripts that the user named: in a directory, regular files named *.jsonl, in the
// order of their names, without following links; a file named directly, whatever its type.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

struct TranscriptFile {
  std::string shown;                     // the name in messages
  std::string name;                      // relative to `base`; "" if the user named the file itself
  std::shared_ptr<const UniqueFd> base;  // the directory that the user named
  uint64_t size = 0;
};

struct TranscriptFiles {
  std::vector<TranscriptFile> files;
  std::vector<Error> unreadable;  // the first ones
  uint64_t unreadable_count = 0;
  uint64_t size = 0;  // of all files
};

// Returns an error if one of `paths` does not exist or cannot be opened.
Result<TranscriptFiles> FindTranscripts(const std::vector<std::string>& paths);

// Opens a file that FindTranscripts() found: below the same directory and through no link.
Result<UniqueFd> OpenTranscript(const TranscriptFile& file);

}  // namespace ringfence
