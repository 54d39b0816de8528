#include "policy/load/key_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "policy/rules/path_entry.h"

namespace ringfence {
namespace {

// Converts a size such as "64M" to bytes; returns 0 if it is not a size.
uint64_t ParseSize(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";  // each is 1024 times the one before it
  const size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  if (unit != kUnits.npos) text.remove_suffix(1);
  if (text.empty() || text.size() > 6) return 0;
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return unit == kUnits.npos ? value : value << (10 * (unit + 1));
}

}  // namespace

void KeyReader::Read(ObjectReader& object, std::string_view prefix, KeyValues& values) {
  for (const KeyRow& row : rows_) {
    if (!row.name.starts_with(prefix) || (in_profile_ && !row.rules.in_profiles)) continue;
    const std::string_view rest = row.name.substr(prefix.size());
    const std::string_view key = rest.substr(0, rest.find('.'));
    if (object.Knows(key)) continue;
    if (key == rest) {
      ReadKey(object, row, values);
    } else if (const Node* node = object.Object(key)) {
      ObjectReader inner(document_, *node);
      Read(inner, row.name.substr(0, prefix.size() + key.size() + 1), values);
      inner.Finish();
    }
  }
}

void KeyReader::ReadKey(ObjectReader& object, const KeyRow& row, KeyValues& values) {
  KeyValue value{.row = &row};
  if (!ReadPlain(object, value)) return;
  if (row.keeps_place) {
    const Node& node = *object.Any(row.key());
    value.origin = rules_.OriginOf(document_.tree().Pointer(node));
    value.offset = node.begin;
  }
  values.Put(std::move(value));
}

bool KeyReader::ReadPlain(ObjectReader& object, KeyValue& value) {
  const std::string_view key = value.row->key();
  switch (value.row->type.kind) {
    case KeyKind::kSwitch: {
      const std::optional<bool> is_on = object.Bool(key);
      value.number = is_on == true ? 1 : 0;
      return is_on.has_value();
    }
    case KeyKind::kChoice:
      return ReadChoice(object, value);
    case KeyKind::kSize:
      return ReadSize(object, value);
    case KeyKind::kNumber:
      return ReadNumber(object, value);
    case KeyKind::kText: {
      const std::optional<std::string_view> text = object.String(key);
      if (text) CheckForm(*object.Any(key), value.row->type.form);
      value.text = text.value_or("");
      return text.has_value();
    }
    case KeyKind::kTexts:
      return ReadTexts(object, value);
  }
  return false;
}

bool KeyReader::ReadChoice(ObjectReader& object, KeyValue& value) {
  const std::span<const KeyChoice> choices = value.row->type.choices;
  const std::optional<uint8_t> number = object.OneOf(value.row->key(), choices);
  if (!number) return false;
  value.number = *number;
  value.text = std::ranges::find(choices, *number, &KeyChoice::value)->word;
  return true;
}

bool KeyReader::ReadSize(ObjectReader& object, KeyValue& value) {
  const auto text = object.String(value.row->key());
  if (!text) return false;
  const uint64_t size = ParseSize(*text);
  const std::string_view least = value.row->type.least_size;
  const Node& node = *object.Any(value.row->key());
  if (size == 0) {
    document_.Wrong(node, "must be a size such as \"64M\" or \"8G\"");
  } else if (size < ParseSize(least)) {
    document_.Wrong(node, "is too little", "give it " + std::string(least) + " or more");
  }
  value.number = static_cast<double>(size);  // exact: at most six digits times a power of 2
  return true;
}

bool KeyReader::ReadNumber(ObjectReader& object, KeyValue& value) {
  const auto number = object.Number(value.row->key());
  if (!number) return false;
  value.number = *number;
  const KeyType& type = value.row->type;
  const bool in_range = *number <= type.most && *number >= type.least;
  const bool is_right = type.whole ? in_range && *number == static_cast<uint32_t>(*number)
                                   : in_range && *number > type.least;
  if (is_right) return true;
  std::string what = type.whole ? "must be a whole number from " : "must be a number above ";
  what += std::to_string(type.least) + (type.whole ? " to " : " and up to ");
  document_.Wrong(*object.Any(value.row->key()), what + std::to_string(type.most));
  return true;
}

bool KeyReader::ReadTexts(ObjectReader& object, KeyValue& value) {
  const auto strings = object.Strings(value.row->key());
  if (!strings) return false;
  for (const Node* node : *strings) {
    CheckForm(*node, value.row->type.form);
    value.texts.push_back(node->content());
  }
  return true;
}

void KeyReader::CheckForm(const Node& node, TextForm form) {
  const std::string_view text = node.content();
  if (form == TextForm::kDirectoryName) {
    if (!text.empty() && text.find('/') == std::string_view::npos) return;
    return document_.Wrong(node, "must be the name of a directory, such as \"node_modules\"");
  }
  if (form == TextForm::kOwnPath) {
    PathRule rule;
    const Status parsed = ParsePathEntry(text, ListKind::kAllow, *file_.strings, &rule);
    const bool is_plain = parsed && rule.set == SetName::kNone && !rule.has_pattern;
    if (is_plain && rule.base != RuleBase::kRoot) return;
    return document_.Wrong(node, "must be a path that begins with / or ~/",
                           parsed || text.empty() ? "" : parsed.error().hint);
  }
  if (form == TextForm::kAny) return;
  if (form == TextForm::kVariable && text.find('=') != std::string_view::npos) {
    document_.Wrong(node, "must be the name of a variable, without \"=\"");
  }
  if (text.empty()) document_.Wrong(node, "is empty");
  if (node.has_nul) document_.Wrong(node, "holds NUL");
}

}  // namespace ringfence
