#include "tests/support/fake_files.h"

namespace ringfence {

bool RecordingFiles::HasTouchedBelow(std::string_view folder) const {
  const Path top = Path::Clean(folder);
  for (const std::string& path : touched_) {
    const Path touched = Path::Clean(path);
    if (touched != top && touched.IsInside(top)) return true;
  }
  return false;
}

Result<FileFacts> RecordingFiles::Look(const Path& path) const {
  touched_.push_back(path.text());
  return files_.Look(path);
}
Result<std::string> RecordingFiles::ReadText(const Path& file, size_t most) const {
  touched_.push_back(file.text());
  return files_.ReadText(file, most);
}

Result<std::string> RecordingFiles::ReadLink(const Path& path) const {
  touched_.push_back(path.text());
  return files_.ReadLink(path);
}
Result<std::vector<DirectoryEntry>> RecordingFiles::List(const Path& directory, size_t most) const {
  touched_.push_back(directory.text());
  return files_.List(directory, most);
}

Result<FileFacts> FailingFiles::Look(const Path& path) const {
  if (Fails(Call::kLook, path)) return Failure();
  return files_.Look(path);
}
Result<std::string> FailingFiles::ReadText(const Path& file, size_t most) const {
  if (Fails(Call::kReadText, file)) return Failure();
  return files_.ReadText(file, most);
}
Result<std::string> FailingFiles::ReadStart(const Path& file, size_t most) const {
  if (Fails(Call::kReadText, file)) return Failure();
  return files_.ReadStart(file, most);
}

Result<std::vector<DirectoryEntry>> FailingFiles::List(const Path& directory, size_t most) const {
  if (Fails(Call::kList, directory)) return Failure();
  return files_.List(directory, most);
}

}  // namespace ringfence
