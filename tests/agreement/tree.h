// Tree: a home, a project and a directory beside it on the disk, with random content, and questions
// about its names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/random_paths.h"

namespace ringfence {

struct Question {
  char operation = 'r';  // see agreement_probe.c
  std::string path;      // absolute
};

class Tree {
 public:
  Tree(std::string base, RandomPaths& dice);
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  void Keep() { kept_ = true; }  // for inspection after a failure

  std::string home() const { return base_ + "/home"; }
  std::string project() const { return home() + "/project"; }
  // Directory of the probe, where it also starts; every policy allows reading it.
  std::string start() const { return project() + "/start"; }

  // Translates the names of RandomPaths to paths in this tree.
  std::string Place(const std::string& text) const;
  nlohmann::json Place(const nlohmann::json& value) const;

  Question Ask(bool may_read) const;

  // Maps each name to its kind, size or link target.
  std::map<std::string, std::string> Look() const;

 private:
  void Add();
  std::string SomePath() const;

  std::string base_;
  RandomPaths& dice_;
  std::vector<std::string> files_;
  std::vector<std::string> folders_;
  bool kept_ = false;
};

}  // namespace ringfence
