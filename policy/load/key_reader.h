// Reads the keys of a table (key_rows.h) from the objects of a policy file.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "policy/load/key.h"
#include "policy/load/object_reader.h"
#include "policy/load/rule_lists.h"

namespace ringfence {

class KeyReader {
 public:
  using Node = JsonTree::Node;

  // `rules` supplies the place of each value.
  KeyReader(PolicyFile& file, RuleListReader& rules, JsonDocument& document,
            std::span<const KeyRow> rows)
      : file_(file), rules_(rules), document_(document), rows_(rows) {}

  // Reads the keys of `object` that have a row and have not been read yet, including those of
  // nested objects. `prefix` selects rows by the beginning of their names: "" or "sandbox."
  void Read(ObjectReader& object, std::string_view prefix, KeyValues& values);

  // Declares that all objects from now on belong to a profile.
  void set_in_profile() { in_profile_ = true; }

  // Reads the key of `row` from `object`.
  void ReadKey(ObjectReader& object, const KeyRow& row, KeyValues& values);

 private:
  bool ReadPlain(ObjectReader& object, KeyValue& value);  // false if absent or of another type
  bool ReadChoice(ObjectReader& object, KeyValue& value);
  bool ReadSize(ObjectReader& object, KeyValue& value);
  bool ReadNumber(ObjectReader& object, KeyValue& value);
  bool ReadTexts(ObjectReader& object, KeyValue& value);
  void CheckForm(const Node& node, TextForm form);

  PolicyFile& file_;
  RuleListReader& rules_;
  JsonDocument& document_;
  std::span<const KeyRow> rows_;
  bool in_profile_ = false;
};

}  // namespace ringfence
