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

  // `rules` gives each value its place.
  KeyReader(PolicyFile& file, RuleListReader& rules, JsonDocument& document,
            std::span<const KeyRow> rows)
      : file_(file), rules_(rules), document_(document), rows_(rows) {}

  // The keys of `object` that have a row and that nothing asked for before, also those of objects
  // in it. `prefix`: of the rows' names, "" or "sandbox."
  void Read(ObjectReader& object, std::string_view prefix, KeyValues& values);

  // From here on the objects are a profile's.
  void set_in_profile() { in_profile_ = true; }

  // The row's key, which is in `object`.
  void ReadKey(ObjectReader& object, const KeyRow& row, KeyValues& values);

 private:
  bool ReadPlain(ObjectReader& object, KeyValue& value);  // false: absent, or of another type
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
