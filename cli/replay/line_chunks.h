// Cuts files into chunks of whole lines, for several threads. The chunks are the same for any
// number of threads. Reads files and does not map them: a file that shrinks meanwhile just ends
// early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/claude/transcripts/transcript_files.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// Whole lines; the last of a file may lack its newline.
struct Chunk {
  size_t number = 0;  // from 0, over all files
  size_t file = 0;    // index of the file
  bool begins_file = false;
  uint64_t size = 0;      // bytes of the file that this chunk covers
  bool too_long = false;  // covers one line that exceeds the limit; `text` is empty
  std::string_view text;  // in `buffer`
  std::string buffer;
};

class LineChunks {
 public:
  struct Sizes {
    size_t chunk = size_t{1} << 20;
    size_t line = size_t{16} << 20;  // longer lines are skipped
  };
  // Reads one open file, such as standard input; a chunk holds the lines that are available.
  LineChunks(int fd, Sizes sizes);
  // `files` must outlive this object.
  LineChunks(const std::vector<TranscriptFile>& files, Sizes sizes);

  // Takes the next chunk, reusing the buffer of `chunk`. Returns false if there are no more. For
  // one thread at a time.
  bool Take(Chunk& chunk);

  // Files that could not be opened or read to their end.
  const std::vector<Error>& unreadable() const { return unreadable_; }

 private:
  bool OpenNext();
  bool Fill(Chunk& chunk);
  bool PassOver(Chunk& chunk);
  size_t ReadSome(std::string& buffer, size_t used);
  bool HasMoreNow() const;
  void Miss(const Error& error);

  const std::vector<TranscriptFile>* files_ = nullptr;
  Sizes sizes_;
  size_t next_file_ = 0;
  size_t next_number_ = 0;
  UniqueFd own_fd_;
  int fd_ = -1;
  bool streams_ = false;
  bool at_end_ = false;
  bool begins_file_ = false;
  std::string rest_;  // bytes read that belong to the next chunk
  std::vector<Error> unreadable_;
};

}  // namespace ringfence
