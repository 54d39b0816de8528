// ValueSieve selects the strings of an MCP tool's input that may matter to the decision, so that
// the rows of a table and other text can be dropped while they are read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/files/first_names.h"
#include "policy/mcp/argument_names.h"
#include "policy/places.h"

namespace ringfence {

class ValueSieve {
 public:
  // Sets where relative paths begin. From then on, strings that name nothing there are dropped.
  void LookIn(const CachedFiles& files, const Places& places, std::string_view cwd);

  // Classifies a member by its name.
  UsualName UsualOf(const std::string& key);

  // True if a key may be a path. For keys below the top level whose object is not called "files" or
  // the like.
  bool MayBePlaceAsKey(std::string_view key) const;

  // True if `text` may be a path or a URL. `usual` is the class of its name.
  bool MayBePlace(std::string_view text, UsualName usual) const;

 private:
  bool MayBeBound(std::string_view text, UsualName usual) const;

  struct KeyName {
    std::string key;
    UsualName usual;
  };
  std::optional<FirstNames> names_;
  std::vector<KeyName> usual_;  // a cache: the rows of a table have the same keys
};

}  // namespace ringfence
