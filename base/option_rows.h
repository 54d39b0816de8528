// Reads the command lines of programs that link no library for it.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace ringfence {

template <typename Options>
struct OptionRow {
  std::string_view name;
  std::string Options::*text = nullptr;  // either this or `flag` is set
  bool Options::*flag = nullptr;
  std::span<const std::string_view> values = {};  // allowed values; empty for any
};

// Takes "--name VALUE", "--name=VALUE" or a flag from the front of `words`, which must not be
// empty. A value may not begin with "-". Returns "", or what is wrong with the option.
template <typename Options>
std::string TakeOption(std::span<char* const>& words, std::span<const OptionRow<Options>> rows,
                       Options& options) {
  const auto next = [&words] {
    const std::string_view word = words.empty() ? "" : words.front();
    words = words.subspan(words.empty() ? 0 : 1);
    return word;
  };
  const std::string_view word = next();
  const size_t equals = word.find('=');
  const std::string name(word.substr(0, equals));
  const auto row = std::ranges::find(rows, name, &OptionRow<Options>::name);
  if (row == rows.end()) {
    std::vector<std::string_view> names;
    for (const OptionRow<Options>& known : rows) names.push_back(known.name);
    return Quote(name) + " is not an option" + DidYouMean(Nearest(name, names));
  }
  if (row->flag != nullptr) {
    if (equals != word.npos) return name + " takes no value";
    return std::exchange(options.*row->flag, true) ? name + " is given twice" : "";
  }
  const std::string_view value = equals == word.npos ? next() : word.substr(equals + 1);
  if (value.empty() || value.starts_with('-')) return name + " needs a value";
  const bool is_allowed =
      row->values.empty() || std::ranges::find(row->values, value) != row->values.end();
  if (!is_allowed) return Quote(value) + " is not a value of " + name;
  if (!(options.*row->text).empty()) return name + " is given twice";
  options.*row->text = value;
  return "";
}

}  // namespace ringfence
