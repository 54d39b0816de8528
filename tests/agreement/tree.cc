#include "tests/agreement/tree.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace ringfence {
namespace {

namespace fs = std::filesystem;

struct Name {
  const char* text;
  const char* at;
};
constexpr Name kNames[] = {
    {"/home/dev", "/home"}, {"/srv", "/beside"}, {"/private/tmp", "/other"}, {"/tmp", "/other"}};

bool BeginsWithFolder(const std::string& text, const std::string& folder) {
  return text.starts_with(folder) && (text.size() == folder.size() || text[folder.size()] == '/');
}

}  // namespace

Tree::Tree(std::string base, RandomPaths& dice) : base_(std::move(base)), dice_(dice) {
  for (const std::string& folder : {start(), base_ + "/beside", base_ + "/other"}) {
    fs::create_directories(folder);
  }
  folders_ = {project(), project(), project(), home(), base_ + "/beside"};
  for (unsigned n = 6 + dice_.Below(20); n > 0; --n) Add();
}

Tree::~Tree() {
  if (kept_) return;
  std::error_code ignored;
  for (const Name& name : kNames) fs::remove_all(base_ + name.at, ignored);
}

std::string Tree::Place(const std::string& text) const {
  for (const Name& name : kNames) {
    if (BeginsWithFolder(text, name.text)) {
      return base_ + name.at + text.substr(std::string(name.text).size());
    }
  }
  return text;
}

nlohmann::json Tree::Place(const nlohmann::json& value) const {
  if (value.is_string()) return Place(value.get<std::string>());
  nlohmann::json placed = value;
  if (value.is_structured()) {
    for (auto& member : placed) member = Place(member);
  }
  return placed;
}

void Tree::Add() {
  static constexpr const char* kTargets[] = {
      "/srv", "a", "../b", "/home/dev/project/a/b", "/tmp/t", "none/n", "/home/dev", ".git", "b"};
  const std::string folder = folders_[dice_.Below(static_cast<unsigned>(folders_.size()))];
  const std::string path = folder + "/" + dice_.Name();
  if (fs::exists(fs::symlink_status(path))) return;
  if (dice_.OneIn(8)) {
    const char* name = dice_.OneIn(2) ? "/l" : "/link";
    if (fs::exists(fs::symlink_status(folder + name))) return;
    return fs::create_symlink(Place(dice_.One(kTargets)), folder + name);
  }
  if (dice_.OneIn(3)) {
    fs::create_directory(path);
    folders_.push_back(path);
    return;
  }
  if (dice_.OneIn(10) && !files_.empty()) {
    fs::create_hard_link(files_[dice_.Below(static_cast<unsigned>(files_.size()))], path);
  } else {
    std::ofstream(path).flush();
  }
  files_.push_back(path);
}

std::string Tree::SomePath() const {
  const auto any = [this](const std::vector<std::string>& paths) {
    return paths[dice_.Below(static_cast<unsigned>(paths.size()))];
  };
  if (dice_.OneIn(3) && !files_.empty()) return any(files_);
  if (dice_.OneIn(3)) return any(folders_) + "/" + dice_.Name();
  if (dice_.OneIn(40)) return "/dev/shm/" + dice_.Name();
  const std::string text = dice_.Text();
  return text[0] == '/' ? Place(text) : project() + "/" + text;
}

Question Tree::Ask(bool may_read) const {
  static constexpr const char* kOfFiles[] = {"w", "w", "t", "u", "n"};
  static constexpr const char* kOfNew[] = {"w", "w", "d", "s", "f", "n", "l"};
  Question question{.path = SomePath()};
  if (may_read && dice_.OneIn(2)) return question;
  const fs::file_type type = fs::symlink_status(question.path).type();
  // A file with several names keeps them: it is neither removed nor replaced.
  const bool is_one = type == fs::file_type::regular && fs::hard_link_count(question.path) == 1;
  const bool is_new = type == fs::file_type::not_found;
  if (is_one) {
    question.operation = dice_.One(kOfFiles)[0];
  } else {
    question.operation = is_new ? dice_.One(kOfNew)[0] : 'w';
  }
  return question;
}

std::map<std::string, std::string> Tree::Look() const {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(base_)) {
    const fs::path& path = entry.path();
    std::string about = "other";
    if (entry.is_symlink()) {
      about = "-> " + fs::read_symlink(path).string();
    } else if (entry.is_regular_file()) {
      about = std::to_string(fs::file_size(path)) + " " + std::to_string(fs::hard_link_count(path));
    } else if (entry.is_directory()) {
      about = "folder";
    }
    found[path.string()] = about;
  }
  return found;
}

}  // namespace ringfence
