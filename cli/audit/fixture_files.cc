#include "cli/audit/fixture_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>

#include "base/syscall.h"
#include "base/text.h"
#include "cli/audit/recorded.h"

namespace ringfence {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFixtureFile = size_t{1} << 30;

bool IsFixtureName(const fs::path& path) {
  const std::string extension = LowerAscii(path.extension().string());
  return extension == ".json" || extension == ".jsonl" || extension == ".ndjson";
}

Error Unreadable(const std::string& path, const std::string& what) {
  return UsageError(Quote(path), what, "name fixtures, or a directory of them");
}

// Returns the fixture files below a directory, sorted.
std::vector<std::string> FilesBelow(const std::string& folder, std::vector<Error>& mistakes) {
  std::vector<std::string> files;
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    std::error_code ignored;
    const bool is_file = entry->symlink_status(ignored).type() == fs::file_type::regular;
    if (is_file && IsFixtureName(entry->path())) files.push_back(entry->path().string());
  }
  if (failure) mistakes.push_back(Unreadable(folder, "cannot be searched: " + failure.message()));
  std::ranges::sort(files);
  return files;
}

Result<std::string> ReadFixtureFile(const std::string& path) {
  const UniqueFd fd(::openat(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) {
    const int code = errno;
    const bool is_missing = code == ENOENT || code == ENOTDIR;
    return Unreadable(path, is_missing ? "does not exist" : "cannot be read: " + ErrnoName(code));
  }
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return SystemError("fstat(" + path + ")");
  if (!S_ISREG(facts.st_mode)) return Unreadable(path, "is not a regular file");
  return ReadAll(fd.get(), kMaxFixtureFile, path, static_cast<size_t>(facts.st_size));
}

void AddFixtures(FixtureFile from, FixtureFile& to) {
  for (Fixture& fixture : from.fixtures) to.fixtures.push_back(std::move(fixture));
  for (std::string& skipped : from.skipped) to.skipped.push_back(std::move(skipped));
  for (FixturePlace& place : from.foreign) to.foreign.push_back(std::move(place));
}

// Reports fixtures with equal names, because a baseline identifies them by name.
void FindTwins(const std::vector<Fixture>& fixtures, std::vector<Error>& mistakes) {
  std::map<std::string_view, const Fixture*> known;
  for (const Fixture& fixture : fixtures) {
    const auto [first, is_new] = known.emplace(fixture.name, &fixture);
    if (is_new) continue;
    const auto place = [](const Fixture& f) {
      return f.place.file + ":" + std::to_string(f.place.line);
    };
    mistakes.push_back(ConfigError(
        place(fixture), "has the name " + Quote(fixture.name) + " of " + place(*first->second),
        "give it a \"name\" of its own"));
  }
}

using FixtureReadFunction =
    std::function<FixtureFile(std::string text, const std::string& path, bool is_named)>;

FixtureFile ReadEach(const std::vector<std::string>& paths, const FixtureReadFunction& read,
                     std::vector<Error>& mistakes) {
  FixtureFile all;
  for (const std::string& path : paths) {
    std::error_code failure;
    const bool is_folder = fs::is_directory(path, failure);
    const std::vector<std::string> files =
        is_folder ? FilesBelow(path, mistakes) : std::vector<std::string>{path};
    for (const std::string& file : files) {
      Result<std::string> text = ReadFixtureFile(file);
      if (!text) {
        mistakes.push_back(text.error());
        continue;
      }
      FixtureFile one = read(std::move(*text), file, !is_folder);
      const bool is_ours = !one.fixtures.empty() || one.skipped.size() != one.foreign.size();
      if (!is_folder || is_ours) all.files.push_back(file);
      AddFixtures(std::move(one), all);
    }
  }
  return all;
}

}  // namespace

FixtureFile ReadFixtureFiles(const std::vector<std::string>& paths, std::vector<Error>& mistakes) {
  const FixtureReadFunction read = [&mistakes](std::string text, const std::string& path,
                                               bool is_named) {
    return ReadFixtures(std::move(text), path, is_named, mistakes);
  };
  FixtureFile all = ReadEach(paths, read, mistakes);
  FindTwins(all.fixtures, mistakes);
  return all;
}

FixtureFile ReadLogFiles(const std::vector<std::string>& paths, std::vector<Error>& mistakes) {
  const FixtureReadFunction read = [](const std::string& text, const std::string& path, bool) {
    return ReadLog(text, path);
  };
  return ReadEach(paths, read, mistakes);
}

}  // namespace ringfence
