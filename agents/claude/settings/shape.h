// The shapes that the client (measured on 2.1.330) requires of the values in its settings.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/json_tree.h"

namespace ringfence {

enum class Shape : uint8_t {
  kBool,
  kText,
  kSomeText,  // not empty
  kTexts,
  kTextMap,
  kObject,
  kArray,
  kPositive,
  kCount,  // a whole number above 0
  kUrl,
  kShell,
  kOnFailure,
  kMode,
  kDisable,
};

bool Fits(const JsonTree& tree, const JsonTree::Node& node, Shape shape);
std::string_view Wanted(Shape shape);  // "must be true or false"

bool IsOneOf(const JsonTree::Node& node, std::initializer_list<std::string_view> words);

}  // namespace ringfence
