#include "staging/change_list.h"

#include <algorithm>

#include "files/attributes.h"

namespace ringfence {

namespace {

bool IsSameBut(const Change& change) {
  return change.before.kind == change.after.kind &&
         (change.after.is_directory() || (change.is_same_content && !change.after.is_link()));
}

}  // namespace

bool Change::is_mode_only() const { return IsSameBut(*this) && before.mode != after.mode; }

bool Change::is_attributes_only() const {
  return IsSameBut(*this) && before.mode == after.mode && before.attributes != after.attributes;
}

bool Change::has_other_mode() const {
  return earlier().kind == after.kind && after.exists() && !after.is_link() &&
         earlier().mode != after.mode;
}

std::vector<std::string> Change::other_attributes() const {
  if (is_removed()) return {};
  return DifferentAttributes(earlier().kind == after.kind ? earlier() : Entry{}, after);
}

bool PathBefore(std::string_view one, std::string_view other) {
  const auto rank = [](char byte) {
    return byte == '/' ? 0 : 1 + static_cast<unsigned char>(byte);
  };
  return std::ranges::lexicographical_compare(one, other, {}, rank, rank);
}

}  // namespace ringfence
