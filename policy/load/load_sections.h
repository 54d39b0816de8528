// Those sections of a policy file that hold plain values and no rules.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/load/object_reader.h"
#include "policy/load/policy_file.h"

namespace ringfence {

class SectionReader {
 public:
  using Node = JsonTree::Node;

  // What is made while reading is kept in `strings`.
  SectionReader(JsonDocument& document, std::deque<std::string>& strings)
      : document_(document), strings_(strings) {}

  SandboxSection ReadSandbox(const Node& node);
  StageSection ReadStage(const Node& node);
  AuditSection ReadAudit(const Node& node);
  AlertSection ReadAlerts(const Node& node, bool needs_inbox);

 private:
  using Texts = std::optional<std::vector<std::string_view>>;

  std::optional<uint64_t> ReadSize(ObjectReader& object, std::string_view key);
  std::optional<double> ReadPositive(ObjectReader& object, std::string_view key, bool whole);
  Texts ReadTexts(ObjectReader& object, std::string_view key);
  Texts ReadNames(ObjectReader& object, std::string_view key);
  std::optional<std::string_view> ReadOwnPath(ObjectReader& object, std::string_view key);
  void ReadAlertFields(const Node& node, AlertSection& section);

  JsonDocument& document_;
  std::deque<std::string>& strings_;
};

}  // namespace ringfence
