#include "policy/load/key.h"

#include <array>
#include <iterator>
#include <utility>

#include "base/contains.h"
#include "policy/load/key_rows.h"

namespace ringfence {
namespace {

constexpr auto kTableRows = [] {
  std::array<KeyRow, std::size(keys::kTable)> rows;
  std::ranges::transform(keys::kTable, rows.begin(), &DocumentedKey::row);
  return rows;
}();

#ifndef RINGFENCE_SANITIZED  // GCC 12 with sanitizers takes no function's address for a constant
// True if an untrusted file can only tighten this key. Texts have no order, so neither of two is
// the tighter one.
constexpr bool OnlyTightens(const KeyRow& row) {
  if (row.apply == nullptr) return row.rules.layers == 0;
  if (!row.rules.is_tightened_by(TightLayer::kUntrusted)) return true;
  if (row.rules.tighten == KeyRule::kLower) return row.type.kind != KeyKind::kText;
  return row.rules.tighten == KeyRule::kHigher && row.type.kind < KeyKind::kText;
}
static_assert(std::ranges::all_of(kTableRows, OnlyTightens));
#endif

}  // namespace

std::span<const KeyRow> PolicyKeys() { return kTableRows; }

const KeyRow& KeyNamed(KeyName name) {
  return *std::ranges::find(kTableRows, name.text(), &KeyRow::name);
}

const KeyValue* KeyValues::Find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(values_, [name](const KeyValue& v) { return v.row->name == name; });
  return found == values_.end() ? nullptr : &*found;
}

void KeyValues::Put(KeyValue value) {
  const auto old = std::ranges::find(values_, value.row, &KeyValue::row);
  if (old == values_.end()) {
    values_.push_back(std::move(value));
  } else {
    *old = std::move(value);
  }
}

void MergeKeys(Policy& policy, const KeyValues& over) {
  for (const KeyValue& value : over) {
    if (value.row->apply != nullptr) value.row->apply(policy, value, value.row->rules.merge);
  }
}

void TightenKeys(Policy& policy, const KeyValues& over, TightLayer layer) {
  for (const KeyValue& value : over) {
    const KeyRow& row = *value.row;
    if (!row.rules.is_tightened_by(layer)) continue;
    row.apply(policy, value, row.rules.tighten);
  }
}

bool IsLooser(Policy policy, const KeyValue& value) {
  const KeyRow& row = *value.row;
  const bool is_limit =
      row.rules.tighten == KeyRule::kLower || row.rules.tighten == KeyRule::kHigher;
  if (!is_limit || row.type.kind == KeyKind::kTexts) return false;
  return row.apply(policy, value,
                   row.rules.tighten == KeyRule::kLower ? KeyRule::kHigher : KeyRule::kLower);
}

bool Takes(KeyRule rule, double number, double old) {
  if (rule == KeyRule::kLower) return number < old;
  return rule != KeyRule::kHigher || number > old;
}

void ApplyTexts(std::vector<std::string_view>& field, const KeyValue& value, KeyRule rule) {
  if (rule == KeyRule::kAdd) {
    field.insert(field.end(), value.texts.begin(), value.texts.end());
  } else if (rule == KeyRule::kLower) {
    std::erase_if(field, [&](std::string_view text) { return !Contains(value.texts, text); });
  } else {
    field = value.texts;
  }
}

}  // namespace ringfence
