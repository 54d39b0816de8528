// ValueSieve says which strings of an MCP tool's input the decision may want to see, so that the
// rows of a table and other text can be dropped as they are read.
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
  // From now on it is known where relative paths begin, and what names nothing there is dropped.
  void LookIn(const CachedFiles& files, const Places& places, std::string_view cwd);

  // What a member is by its name.
  UsualName UsualOf(const std::string& key);

  // A key below the top, whose object is not called "files" or the like.
  bool MayBePlaceAsKey(std::string_view key) const;

  // `usual` is what the string's name says.
  bool MayBePlace(std::string_view text, UsualName usual) const;

 private:
  bool MayBeBound(std::string_view text, UsualName usual) const;

  struct KeyName {
    std::string key;
    UsualName usual;
  };
  std::optional<FirstNames> names_;
  std::vector<KeyName> usual_;  // the rows of a table have the same keys
};

}  // namespace ringfence
