// A base for views that show another view with a few differences.
#pragma once

#include "policy/files/file_view.h"

namespace ringfence {

class ForwardingView : public FileView {
 public:
  Result<FileFacts> Look(const Path& path) const override { return below_.Look(path); }
  Result<std::string> ReadLink(const Path& path) const override { return below_.ReadLink(path); }
  Result<std::string> ReadText(const Path& file, size_t most) const override {
    return below_.ReadText(file, most);
  }
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override {
    return below_.List(directory, most);
  }

 protected:
  explicit ForwardingView(const FileView& below) : below_(below) {}

 private:
  const FileView& below_;
};

}  // namespace ringfence
