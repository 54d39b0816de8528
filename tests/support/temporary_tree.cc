#include "tests/support/temporary_tree.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace ringfence {

namespace fs = std::filesystem;

namespace {

// Never follows a link that a test created: a tree must not reach outside itself.
void MakeParent(const std::string& root, const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  fs::create_directories(parent);
  const std::string real = fs::canonical(parent).string() + "/";
  if (!real.starts_with(root + "/")) throw std::runtime_error("outside the tree: " + path);
}

}  // namespace

TemporaryTree::TemporaryTree() {
  std::string name = (fs::temp_directory_path() / "ringfence-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
  root_ = fs::canonical(name).string();
}

TemporaryTree::~TemporaryTree() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void TemporaryTree::File(std::string_view name, std::string_view content) const {
  MakeParent(root_, At(name));
  std::ofstream file(At(name), std::ios::binary);
  file << content;
  if (!file.flush()) throw std::runtime_error("cannot write " + At(name));
}

void TemporaryTree::Directory(std::string_view name) const {
  MakeParent(root_, At(name));
  fs::create_directory(At(name));
}

void TemporaryTree::Link(std::string_view name, const std::string& target) const {
  MakeParent(root_, At(name));
  fs::create_symlink(target, At(name));
}

void TemporaryTree::HardLink(std::string_view name, std::string_view existing) const {
  MakeParent(root_, At(name));
  fs::create_hard_link(At(existing), At(name));
}

}  // namespace ringfence
