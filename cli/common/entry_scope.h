// Estimates how much an entry of an allow list opens. Asks the hook's own matcher about sample
// paths, so that it finds every spelling of "everything": "/", "/./", "/[!x]*", "~/.*".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/files/cached_files.h"
#include "policy/places.h"
#include "policy/policy.h"
#include "policy/rules/rules.h"

namespace ringfence {

// The share of a directory's files that an entry opens.
enum class Share : uint8_t { kNone, kMany, kEvery };

class EntryScope {
 public:
  // `places` and `files` must outlive this object.
  EntryScope(const Places& places, const FileView& files);

  // Returns kNone if `entry` is not valid.
  Share Of(const std::string& entry, const Path& folder) const;

  // Returns the topmost directory, from `folder` upwards, in which the entry opens many files, and
  // sets `share`. Returns nothing if there is none.
  std::optional<Path> TopAbove(const std::string& entry, const Path& folder, Share* share) const;

  // True if the entry opens many files of the machine, of a home or of a system directory.
  bool OpensMost(const std::string& entry) const;

 private:
  bool Permits(const PathRule& rule, const Path& path) const;

  const Places& places_;
  CachedFiles files_;
  Policy policy_;
  RuleMatcher matcher_;
};

// Directories that are homes by their location; no user of that name needs to exist.
std::vector<Path> SampleHomes();

// The scope of an entry of a tool list, tested with names that no tool has.
enum class ToolScope : uint8_t { kSome, kEveryServer, kEveryTool };
ToolScope ToolScopeOf(std::string_view entry);

}  // namespace ringfence
