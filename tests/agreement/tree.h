// Tree: a home, a project and a folder beside it on the disk, filled at random, and questions about
// its names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/random_paths.h"

namespace ringfence {

struct Question {
  char operation = 'r';  // as agreement_probe.c has them
  std::string path;      // absolute
};

class Tree {
 public:
  Tree(std::string base, RandomPaths& dice);
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  void Keep() { kept_ = true; }  // to be looked at

  std::string home() const { return base_ + "/home"; }
  std::string project() const { return home() + "/project"; }
  // Where the probe lies and begins; every policy lets it be read.
  std::string start() const { return project() + "/start"; }

  // The names that RandomPaths uses, as they are called in this tree.
  std::string Place(const std::string& text) const;
  nlohmann::json Place(const nlohmann::json& value) const;

  Question Ask(bool may_read) const;

  // Each name: its kind, its size, what it leads to.
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
