#include "hook/failure.h"

#include <algorithm>

namespace ringfence {
namespace {

constexpr size_t kMaxPaths = 4;

constexpr std::string_view kRefusals[] = {
    "Permission denied",
    "Read-only file system",
    "Operation not permitted",
    "EACCES",
    "EROFS",
    "EPERM",
    "permission denied",
    "read-only file system",
};

bool NamesRefusal(std::string_view line) {
  return std::ranges::any_of(kRefusals, [line](std::string_view text) {
    return line.find(text) != std::string_view::npos;
  });
}

// The next word that looks like an absolute or home path; quotes and colons end it.
std::string_view TakePath(std::string_view& line) {
  for (;;) {
    const size_t start = line.find_first_of("/~");
    if (start == std::string_view::npos) return {};
    const bool begins_word = start == 0 || std::string_view(" '\"`:=(\t").find(line[start - 1]) !=
                                               std::string_view::npos;
    const char before = start == 0 ? ' ' : line[start - 1];
    const bool quoted = before == '\'' || before == '"' || before == '`';
    const std::string_view ends =
        quoted ? std::string_view("'\"`\n") : std::string_view(" '\"`:,;)\t\n");
    const size_t end = std::min(line.find_first_of(ends, start), line.size());
    const std::string_view word = line.substr(start, end - start);
    line.remove_prefix(end);
    if (begins_word && word.size() > 1) return word;
    if (line.empty()) return {};
  }
}

}  // namespace

std::vector<std::string> RefusedPaths(std::string_view failure) {
  std::vector<std::string> paths;
  while (!failure.empty() && paths.size() < kMaxPaths) {
    const size_t end = std::min(failure.find('\n'), failure.size());
    std::string_view line = failure.substr(0, end);
    failure.remove_prefix(std::min(end + 1, failure.size()));
    if (!NamesRefusal(line)) continue;
    for (;;) {
      const std::string path(TakePath(line));
      if (path.empty() || paths.size() == kMaxPaths) break;
      if (std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
    }
  }
  return paths;
}

}  // namespace ringfence
