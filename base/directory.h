// Opens directories, and iterates over their entries.
#pragma once

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>

#include "base/unique_fd.h"

namespace ringfence {

// For openat(2): opens a directory to read it, and follows no link.
inline constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

struct CloseDirectory {
  void operator()(DIR* stream) const { ::closedir(stream); }
};
// nullptr if opendir(3) or fdopendir(3) failed.
using DirectoryStream = std::unique_ptr<DIR, CloseDirectory>;

// True if `test`, which takes a `dirent`, holds for an entry other than "." and "..". Returns
// nothing if the directory cannot be opened or read (readdir(3)).
template <typename Test>
std::optional<bool> AnyEntry(const UniqueFd& folder, Test test) {
  UniqueFd own(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const DirectoryStream stream(own.valid() ? ::fdopendir(own.get()) : nullptr);
  if (stream == nullptr) return {};
  own.release();  // the stream closes it
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());  // NOLINT(concurrency-mt-unsafe): one thread
    if (entry == nullptr) return errno == 0 ? std::optional(false) : std::nullopt;
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && test(*entry)) return true;
  }
}

// Calls `what` with each name other than "." and "..", as far as they can be read.
template <typename Function>
void ForEachName(const UniqueFd& folder, Function what) {
  AnyEntry(folder, [&what](const dirent& entry) {
    what(static_cast<const char*>(entry.d_name));
    return false;
  });
}

}  // namespace ringfence
