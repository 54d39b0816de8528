#include "audit_log/order.h"

#include <algorithm>

namespace ringfence {
namespace {

bool Connects(const LogFile& file, const LogFile& next) {
  return !file.ends.empty() && file.ends == next.begins;
}

std::vector<LogFile> Chained(std::vector<LogFile> files) {
  std::vector<LogFile> ordered;
  const auto follows_none = [&files](const LogFile& file) {
    return std::ranges::none_of(files, [&file](const LogFile& other) {
      return &other != &file && !file.begins.empty() && other.ends == file.begins;
    });
  };
  while (!files.empty()) {
    auto next = files.end();
    if (!ordered.empty() && !ordered.back().ends.empty()) {
      next = std::ranges::find(files, ordered.back().ends, &LogFile::begins);
    }
    if (next == files.end()) next = std::ranges::find_if(files, follows_none);
    if (next == files.end()) next = files.begin();
    ordered.push_back(std::move(*next));
    files.erase(next);
  }
  return ordered;
}

// Marks files that are not part of the log: either the live log continues from an earlier file
// (these are copies, or have a forged end), or they are not ringfence's at all.
void MarkApart(std::vector<LogFile>& files) {
  if (!files.empty() && files.back().is_live) {
    const auto before = std::ranges::find_if(
        files, [&files](const LogFile& file) { return Connects(file, files.back()); });
    if (before < files.end() - 1) {
      std::for_each(before + 1, files.end() - 1, [](LogFile& file) { file.is_apart = true; });
    }
  }
  for (size_t i = 0; i < files.size(); ++i) {
    const bool leads_on = i + 1 < files.size() && Connects(files[i], files[i + 1]);
    if (files[i].begins.empty() && !leads_on && !files[i].is_live) files[i].is_apart = true;
  }
}

}  // namespace

std::vector<LogFile> InOrder(std::vector<LogFile> files) {
  const auto live = std::ranges::find_if(files, &LogFile::is_live);
  std::vector<LogFile> last;
  if (live != files.end()) {
    last.push_back(std::move(*live));
    files.erase(live);
  }
  files = Chained(std::move(files));
  files.insert(files.end(), last.begin(), last.end());
  MarkApart(files);
  return files;
}

}  // namespace ringfence
