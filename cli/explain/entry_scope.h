// How much an entry of a list of allowed paths opens. Asks the hook's own matcher about sample
// paths, so that each spelling of "everything" is found: "/", "/./", "/[!x]*", "~/.*".
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

// Of the files in a folder.
enum class Share : uint8_t { kNone, kMany, kEvery };

class EntryScope {
 public:
  // `places` and `files` outlive this.
  EntryScope(const Places& places, const FileView& files);

  // kNone for text that is not a valid entry.
  Share Of(const std::string& entry, const Path& folder) const;

  // The topmost folder, from `folder` upwards, in which the entry opens many files, if there is
  // one; `share` is how many.
  std::optional<Path> TopAbove(const std::string& entry, const Path& folder, Share* share) const;

  // Many files of the machine, of a home, or of a folder of the system.
  bool OpensMost(const std::string& entry) const;

 private:
  bool Permits(const PathRule& rule, const Path& path) const;

  const Places& places_;
  CachedFiles files_;
  Policy policy_;
  RuleMatcher matcher_;
};

// Folders that are homes by their place, though no user of that name need exist.
std::vector<Path> SampleHomes();

// Of an entry of a list of tools, by names that nothing is called by.
enum class ToolScope : uint8_t { kSome, kEveryServer, kEveryTool };
ToolScope ToolScopeOf(std::string_view entry);

}  // namespace ringfence
