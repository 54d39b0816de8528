// Reads texts as a JSON array on standard input; writes the result of ReadKdl() for each of them,
// or the mistake as a string, to standard output.
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json_edit.h"
#include "base/syscall.h"
#include "cli/layout/kdl.h"

namespace ringfence {
namespace {

OrderedJson ValueOf(const KdlValue& value) {
  switch (value.kind) {
    case KdlValue::Kind::kString:
      return value.text;
    case KdlValue::Kind::kNumber:
      return OrderedJson{{"number", value.text}};
    case KdlValue::Kind::kTrue:
      return true;
    case KdlValue::Kind::kFalse:
      return false;
    case KdlValue::Kind::kNull:
      break;
  }
  return nullptr;
}

OrderedJson NodesOf(const std::vector<KdlNode>& nodes) {
  OrderedJson all = OrderedJson::array();
  for (const KdlNode& node : nodes) {
    OrderedJson values = OrderedJson::array();
    OrderedJson properties = OrderedJson::object();
    for (const KdlEntry& entry : node.entries) {
      if (entry.name) {
        properties[*entry.name] = ValueOf(entry.value);
      } else {
        values.push_back(ValueOf(entry.value));
      }
    }
    all.push_back({{"name", node.name},
                   {"values", values},
                   {"properties", properties},
                   {"children", NodesOf(node.children)}});
  }
  return all;
}

int Main() {
  constexpr size_t kMost = 64u << 20;
  const Result<std::string> input = ReadAll(STDIN_FILENO, kMost, "standard input");
  const OrderedJson texts = input ? OrderedJson::parse(*input, nullptr, false) : OrderedJson();
  if (!texts.is_array()) return 2;
  OrderedJson results = OrderedJson::array();
  for (const auto& text : texts) {
    const auto nodes = ReadKdl(text.get<std::string>(), "kdl");
    results.push_back(nodes ? NodesOf(*nodes) : OrderedJson(nodes.error().text()));
  }
  const std::string out = results.dump();
  return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? 0 : 2;
}

}  // namespace
}  // namespace ringfence

int main() { return ringfence::Main(); }
