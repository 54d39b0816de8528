// Cuts files into chunks of whole lines, for several threads. The chunks of a run are the same for
// any number of them. Files are read, not mapped: one that shrinks meanwhile ends early, no more.
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
  size_t file = 0;    // its index
  bool begins_file = false;
  uint64_t size = 0;      // bytes of the file that this chunk stands for
  bool too_long = false;  // stands for one line that is longer than lines may be; `text` is empty
  std::string_view text;  // in `buffer`
  std::string buffer;
};

class LineChunks {
 public:
  struct Sizes {
    size_t chunk = size_t{1} << 20;
    size_t line = size_t{16} << 20;  // longer ones are passed over
  };
  // One file that is open already, standard input for instance: a chunk holds what is there.
  LineChunks(int fd, Sizes sizes);
  // `files` outlive this.
  LineChunks(const std::vector<TranscriptFile>& files, Sizes sizes);

  // False: there are no more. The chunk's buffer is used again. For one thread at a time.
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
  std::string rest_;  // of the last line that was read, which is not whole yet
  std::vector<Error> unreadable_;
};

}  // namespace ringfence
