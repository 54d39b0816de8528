// Short constructors of GuardedNames rules for tests.
#pragma once

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include "sandbox/guarded_names.h"

namespace ringfence {

inline GuardedName Fixed(std::string base, std::string tail) {
  return {.base = std::move(base), .tail = std::move(tail), .why = "fixed"};
}

inline GuardedName Pattern(std::string base, std::string tail) {
  return {.base = std::move(base), .tail = std::move(tail), .has_pattern = true, .why = "pattern"};
}

inline GuardedName Anywhere(std::string tail) {
  return {.base = "/",
          .tail = std::move(tail),
          .has_pattern = true,
          .is_anywhere = true,
          .why = "anywhere"};
}

inline GuardedNames With(const std::vector<GuardedName>& rules) {
  GuardedNames names;
  for (const GuardedName& rule : rules) names.Refuse(rule);
  return names;
}

struct NameRow {
  std::string_view name;
  std::string_view path;
  bool refused;
};

inline void CheckRows(const GuardedNames& names, std::span<const NameRow> rows) {
  for (const NameRow& row : rows) {
    CAPTURE(row.name);
    CHECK((names.Refuses(row.path) != nullptr) == row.refused);
  }
}

}  // namespace ringfence
