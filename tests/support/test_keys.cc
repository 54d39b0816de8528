#include "tests/support/test_keys.h"

#include <vector>

namespace ringfence {

std::span<const DocumentedKey> DocumentedKeysAndTestKeys() {
  static const std::vector<DocumentedKey> kKeys = [] {
    std::vector<DocumentedKey> all(std::begin(keys::kTable), std::end(keys::kTable));
    all.insert(all.end(), std::begin(keys::kTestKeys), std::end(keys::kTestKeys));
    return all;
  }();
  return kKeys;
}

std::span<const KeyRow> KeysAndTestKeys() {
  static const std::vector<KeyRow> kRows = [] {
    std::vector<KeyRow> rows;
    for (const DocumentedKey& key : DocumentedKeysAndTestKeys()) rows.push_back(key.row);
    return rows;
  }();
  return kRows;
}

}  // namespace ringfence
