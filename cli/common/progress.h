// Progress bar: one line on standard error if it is a terminal, else nothing. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

// "replay [#####-----]  45 %  1.5 of 3.4 GB, 210 MB/s"
struct ProgressState {
  std::string name;
  uint64_t done = 0;
  uint64_t total = 0;  // 0: unknown
  double seconds = 0;
  std::string_view what;  // the unit, such as "fixtures"; empty for bytes
};
// Returns a line of at most `width` columns.
std::string ProgressLine(const ProgressState& state, size_t width);

// "3.4 GB"
std::string SizeText(uint64_t bytes);

class Progress {
 public:
  // `wanted`: show the line if there is a terminal.
  Progress(std::string name, uint64_t total, bool wanted, std::string_view what = {});
  // Erases the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Add(uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  ProgressState state_;
  bool shown_ = false;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace ringfence
