// Checks git objects that a stage has added. Git trusts the names of objects: it does not compute
// them again when it reads a pack. An object that has another name than its content could replace
// what was committed before.
#pragma once

#include <map>
#include <string>

#include "staging/stage.h"

namespace ringfence {

class GitObjects {
 public:
  // `stage` is locked, and must outlive this object.
  explicit GitObjects(const Stage& stage) : stage_(stage) {}
  ~GitObjects();
  GitObjects(const GitObjects&) = delete;
  GitObjects& operator=(const GitObjects&) = delete;

  // True if the file at this path of the stage, a loose object, a pack or the index of a pack, has
  // what its name says. Larger files than 256 MiB are not looked at.
  bool IsSound(const std::string& path);

 private:
  bool IsSoundLoose(const std::string& path);
  bool IsSoundPack(const std::string& path);

  const Stage& stage_;
  std::map<std::string, bool> packs_;  // by the path without ".pack"
};

}  // namespace ringfence
