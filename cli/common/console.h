// Lines on standard output, in colour only on a terminal and never with NO_COLOR, and a progress
// bar.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/not_copied.h"

namespace ringfence {

enum class Tone { kGood, kBad, kStrong };

class Console {
 public:
  Console();
  std::string In(Tone tone, std::string_view text) const;
  void Line(std::string_view text) const;

 private:
  bool colour_ = false;
};

// "20,000", and "1 fixture" or "20,000 fixtures".
std::string Grouped(size_t number);
std::string Counted(size_t number, std::string_view word);

// Pads `text` with spaces to at least `width` bytes.
std::string Padded(std::string text, size_t width);

void PrintJson(const OrderedJson& value);
// Prints a whole document, which ends with a newline, as it is.
void PrintDocument(const std::string& text);

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

// Progress bar: one line on standard error if it is a terminal, else nothing. Not thread-safe.
class Progress : NotCopied {
 public:
  // `wanted`: show the line if there is a terminal.
  Progress(std::string name, uint64_t total, bool wanted, std::string_view what = {});
  // Erases the line.
  ~Progress();

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
