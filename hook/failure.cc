#include "hook/failure.h"

#include <algorithm>
#include <span>

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

// What programs say of a write that failed.
constexpr std::string_view kWrites[] = {
    "creat",   "write", "writing", "remov", "unlink",
    "delet",   "touch", "mkdir",   "mov",   "renam",
    "truncat", "chmod", "chown",   "EROFS", "ead-only file system",
};

bool HasOneOf(std::string_view line, std::span<const std::string_view> texts) {
  return std::ranges::any_of(
      texts, [line](std::string_view text) { return line.find(text) != std::string_view::npos; });
}

// GNU programs quote with these where the locale has them.
constexpr std::string_view kOpenQuote = "\xE2\x80\x98";
constexpr std::string_view kCloseQuote = "\xE2\x80\x99";

// Where the path ends that follows `before` in its line.
size_t EndOfPath(std::string_view before, std::string_view line, size_t start) {
  if (before.ends_with(kOpenQuote)) return line.find(kCloseQuote, start);
  const bool quoted = before.ends_with('\'') || before.ends_with('"') || before.ends_with('`');
  return line.find_first_of(quoted ? "'\"`" : " '\"`:,;)\t", start);
}

// The next word that looks like an absolute or home path; quotes and colons end it.
std::string_view TakePath(std::string_view& line) {
  for (;;) {
    const size_t start = line.find_first_of("/~");
    if (start == std::string_view::npos) return {};
    const std::string_view before = line.substr(0, start);
    const bool begins_word =
        start == 0 || before.ends_with(kOpenQuote) ||
        std::string_view(" '\"`:=(\t").find(before.back()) != std::string_view::npos;
    const size_t end = std::min(EndOfPath(before, line, start), line.size());
    const std::string_view word = line.substr(start, end - start);
    line.remove_prefix(end);
    if (begins_word && word.size() > 1) return word;
    if (line.empty()) return {};
  }
}

}  // namespace

std::vector<RefusedPath> RefusedPaths(std::string_view failure) {
  std::vector<RefusedPath> paths;
  while (!failure.empty() && paths.size() < kMaxPaths) {
    const size_t end = std::min(failure.find('\n'), failure.size());
    std::string_view line = failure.substr(0, end);
    failure.remove_prefix(std::min(end + 1, failure.size()));
    if (!HasOneOf(line, kRefusals)) continue;
    const bool is_write = HasOneOf(line, kWrites);
    for (;;) {
      const std::string path(TakePath(line));
      if (path.empty() || paths.size() == kMaxPaths) break;
      const RefusedPath refused{path, is_write};
      if (std::ranges::find(paths, refused) == paths.end()) paths.push_back(refused);
    }
  }
  return paths;
}

}  // namespace ringfence
