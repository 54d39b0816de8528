// Policy keys with plain values, one table row each: the name, the type, the rules for merging
// several files, and the documentation. The rows are in key_rows.h; rules for tools, paths and
// hosts are code.
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

// A word of a choice and its enumerator. If several words have the same value, the first one is
// canonical.
struct KeyChoice {
  std::string_view word;
  uint8_t value = 0;

  template <typename Value>
  constexpr KeyChoice(std::string_view spelling, Value meaning)
      : word(spelling), value(static_cast<uint8_t>(meaning)) {}
};

enum class KeyKind : uint8_t { kSwitch, kChoice, kSize, kNumber, kText, kTexts };

// The form of a text, or of each text in a list.
enum class TextForm : uint8_t {
  kAny,
  kNotEmpty,
  kVariable,       // the name of an environment variable
  kDirectoryName,  // one component of a path
  kOwnPath,        // begins with "/" or "~/", without patterns
  kProxyUrl,       // "http://host:port"
};

struct KeyType {
  KeyKind kind = KeyKind::kText;
  TextForm form = TextForm::kAny;
  bool whole = false;           // a number without a fraction
  uint32_t least = 0;           // lower bound of a number; exclusive unless the number is whole
  uint32_t most = 0;            // upper bound of a number, inclusive
  std::string_view least_size;  // lower bound of a size: "16M"; or "" for none
  std::span<const KeyChoice> choices;  // the words of a choice
};

// The rule for combining a value with the one that a policy has.
enum class KeyRule : uint8_t {
  kReplace,
  kLower,   // the lower value; off, for a switch; the intersection of two lists
  kHigher,  // the higher value; on, for a switch
  kAdd,     // appends the list to the other one
};

// A layer that is applied over the merged files. It can only tighten.
enum class TightLayer : uint8_t {
  kManaged = 1,       // the managed file, which limits all others
  kUntrusted = 2,     // an untrusted project's file
  kTrustedEvent = 4,  // the profile of a trusted file that the event chose
};

struct KeyRules {
  KeyRule merge = KeyRule::kReplace;    // over an earlier file; both are trusted
  KeyRule tighten = KeyRule::kReplace;  // for the tight layers in `layers`
  uint8_t layers = 0;  // TightLayer values, combined with |; other layers have no effect
  bool in_profiles = true;

  constexpr bool is_tightened_by(TightLayer layer) const {
    return (layers & static_cast<uint8_t>(layer)) != 0;
  }
};

struct KeyValue;

struct KeyRow {
  std::string_view name;  // "sandbox.mode"
  KeyType type;
  // Puts `value` into the policy's field; true if it replaced the old value. nullptr if code merges
  // this key.
  bool (*apply)(Policy& policy, const KeyValue& value, KeyRule rule) = nullptr;
  KeyRules rules;
  bool keeps_place = false;  // the policy records where the value was written

  // The last part of the name.
  constexpr std::string_view key() const { return name.substr(name.rfind('.') + 1); }
};

// A value as written in a file. Views point into the file; `row` outlives the value.
struct KeyValue {
  const KeyRow* row = nullptr;
  double number = 0;      // also a switch (0 or 1), a size in bytes, the enumerator of a choice
  std::string_view text;  // also the canonical word of a choice
  std::vector<std::string_view> texts;
  const RuleOrigin* origin = nullptr;  // set only if the row keeps the place
  uint32_t offset = 0;                 // byte offset in the file

  RulePlace place() const { return origin->At(offset); }
};

// True if a row has this name.
constexpr bool IsKeyName(std::string_view name);
void NoSuchKey();  // not constexpr, so a name without a row does not compile

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

  // Returns the value as bool, an enumeration, a number or text. Absent if the file does not have
  // the key.
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

  // Replaces any value of the same key.
  void Put(KeyValue value);

 private:
  std::vector<KeyValue> values_;
};

// Applies the values of a trusted file over those of earlier files.
void MergeKeys(Policy& policy, const KeyValues& over);
// Applies the values of `over` that tighten the policy; it never loosens it.
void TightenKeys(Policy& policy, const KeyValues& over, TightLayer layer);
// True if `value` would permit more than `policy` does, for a key that layers can only tighten.
bool IsLooser(Policy policy, const KeyValue& value);

// True if the rule lets `number` replace `old`.
bool Takes(KeyRule rule, double number, double old);
void ApplyTexts(std::vector<std::string_view>& field, const KeyValue& value, KeyRule rule);

// Puts a value into a field of the policy; true if it replaced the old value.
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

// An absent limit counts as the highest.
template <typename T>
bool ApplyKey(std::optional<T>& field, const KeyValue& value, KeyRule rule) {
  if (field) return ApplyKey(*field, value, rule);
  return rule != KeyRule::kHigher && ApplyKey(field.emplace(), value, KeyRule::kReplace);
}

// A KeyRow::apply function for the field that these members lead to.
template <auto... kMembers>
bool Into(Policy& policy, const KeyValue& value, KeyRule rule) {
  return ApplyKey((policy.*....*kMembers), value, rule);
}

}  // namespace ringfence
