// A directory on the real disk for one test, removed with its content at the end.
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

class TemporaryTree {
 public:
  TemporaryTree();
  ~TemporaryTree();
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;

  const std::string& root() const { return root_; }  // absolute, without links
  std::string At(std::string_view name) const { return root_ + "/" + std::string(name); }

  // Paths are relative to the root; parent directories are created.
  void File(std::string_view name, std::string_view content = "") const;
  void Directory(std::string_view name) const;
  void Link(std::string_view name, const std::string& target) const;
  void HardLink(std::string_view name, std::string_view existing) const;

 private:
  std::string root_;
};

}  // namespace ringfence
