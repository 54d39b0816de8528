// A key of the policy that holds a plain value is one row of a table: its name, how it is read, how
// the values of several files become one, and its documentation. The rows are in key_rows.h; rules
// for tools, paths and hosts are code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "policy/policy.h"

namespace ringfence {

// A word of a choice and the enumerator it stands for. The first word of a value is its usual one.
struct KeyChoice {
  std::string_view word;
  uint8_t value = 0;

  template <typename Value>
  constexpr KeyChoice(std::string_view spelling, Value meaning)
      : word(spelling), value(static_cast<uint8_t>(meaning)) {}
};

enum class KeyKind : uint8_t { kSwitch, kChoice, kSize, kNumber, kText, kTexts };

// The form of a text, or of each text of a list.
enum class TextForm : uint8_t {
  kAny,
  kNotEmpty,
  kVariable,       // the name of an environment variable
  kDirectoryName,  // one component of a path
  kOwnPath,        // begins with "/" or "~/", without patterns
};

struct KeyType {
  KeyKind kind = KeyKind::kText;
  TextForm form = TextForm::kAny;
  bool whole = false;                  // a number without a fraction
  uint32_t least = 0;                  // of a number; itself too small unless the number is whole
  uint32_t most = 0;                   // of a number
  std::string_view least_size;         // of a size: "16M", or "" for any
  std::span<const KeyChoice> choices;  // of a choice
};

// How a value is put over the one that a policy has.
enum class KeyRule : uint8_t {
  kReplace,
  kLower,   // the lower of two values, a switch that is off, what two lists share
  kHigher,  // the higher of two values, a switch that is on
  kAdd,     // the list behind the other one
};

// A layer that is put over the merged files: it can only tighten.
enum class TightLayer : uint8_t {
  kManaged = 1,       // the managed file, as a limit to all others
  kUntrusted = 2,     // an untrusted project's file
  kTrustedEvent = 4,  // the profile of a trusted file that the event chose
};

struct KeyRules {
  KeyRule merge = KeyRule::kReplace;    // over a file before it; both are trusted
  KeyRule tighten = KeyRule::kReplace;  // by the layers below
  uint8_t layers = 0;                   // TightLayer, or-ed; other layers do not count
  bool in_profiles = true;

  constexpr bool is_tightened_by(TightLayer layer) const {
    return (layers & static_cast<uint8_t>(layer)) != 0;
  }
};

struct KeyValue;

struct KeyRow {
  std::string_view name;  // "sandbox.mode"
  KeyType type;
  // Puts `value` into the policy's field, and says whether it took the place of the old one.
  // nullptr: code merges this key.
  bool (*apply)(Policy& policy, const KeyValue& value, KeyRule rule) = nullptr;
  KeyRules rules;
  bool keeps_place = false;  // the policy says where its value is written

  // The last part of the name.
  constexpr std::string_view key() const { return name.substr(name.rfind('.') + 1); }
};

// A value as a file has it. Views point into the file; `row` outlives it.
struct KeyValue {
  const KeyRow* row = nullptr;
  double number = 0;      // also 0 or 1 of a switch, bytes of a size, the enumerator of a choice
  std::string_view text;  // also the usual word of a choice
  std::vector<std::string_view> texts;
  const RuleOrigin* origin = nullptr;  // of a row that keeps the place
  uint32_t offset = 0;                 // in the file, in bytes

  RulePlace place() const { return origin->At(offset); }
};

// Whether a row has that name.
constexpr bool IsKeyName(std::string_view name);
void NoSuchKey();  // not constexpr: a name without a row does not compile

class KeyName {
 public:
  consteval KeyName(const char* name) : text_(name) {
    if (!IsKeyName(text_)) NoSuchKey();
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// The values of one file or profile, each key at most once.
class KeyValues {
 public:
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  const KeyValue* Find(std::string_view name) const;

  // As bool, an enumeration, a number or text. Absent: the file does not have the key.
  template <typename T>
  std::optional<T> Get(KeyName name) const {
    const KeyValue* value = Find(name.text());
    if (value == nullptr) return {};
    if constexpr (std::is_same_v<T, std::string_view>) {
      return value->text;
    } else {
      return static_cast<T>(value->number);
    }
  }

  // In place of a value of the same key.
  void Put(KeyValue value);

 private:
  std::vector<KeyValue> values_;
};

// Puts the values of a trusted file over those of the files before it.
void MergeKeys(Policy& policy, const KeyValues& over);
// `over` only takes away, whatever it says.
void TightenKeys(Policy& policy, const KeyValues& over, TightLayer layer);
// Whether `value` would permit more than `policy` does where it can only tighten.
bool IsLooser(Policy policy, const KeyValue& value);

// Whether the rule lets a number take the old one's place.
bool Takes(KeyRule rule, double number, double old);
void ApplyTexts(std::vector<std::string_view>& field, const KeyValue& value, KeyRule rule);

// Puts a value into a field of the policy; true where it took the old one's place.
template <typename T>
bool ApplyKey(T& field, const KeyValue& value, KeyRule rule) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    field = value.text;
  } else if constexpr (std::is_same_v<T, std::vector<std::string_view>>) {
    ApplyTexts(field, value, rule);
  } else {
    if (!Takes(rule, value.number, static_cast<double>(field))) return false;
    field = static_cast<T>(value.number);
  }
  return true;
}

// No limit is the highest one.
template <typename T>
bool ApplyKey(std::optional<T>& field, const KeyValue& value, KeyRule rule) {
  if (field) return ApplyKey(*field, value, rule);
  return rule != KeyRule::kHigher && ApplyKey(field.emplace(), value, KeyRule::kReplace);
}

// For KeyRow::apply: the field that these members lead to.
template <auto... kMembers>
bool Into(Policy& policy, const KeyValue& value, KeyRule rule) {
  return ApplyKey((policy.*....*kMembers), value, rule);
}

}  // namespace ringfence
