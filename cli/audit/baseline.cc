#include "cli/audit/baseline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "policy/object_reader.h"

namespace ringfence {
namespace {

using Node = JsonTree::Node;

BaselineEntry ReadEntry(JsonDocument& document, const Node& node) {
  ObjectReader object(document, node);
  BaselineEntry entry;
  entry.fixture = object.String("fixture").value_or("");
  entry.under = object.String("under").value_or("");
  entry.decision = object.String("decision").value_or("");
  entry.rule = object.String("rule").value_or("");
  if (entry.fixture.empty() || entry.decision.empty()) {
    document.Wrong(node, "needs \"fixture\" and \"decision\"");
  }
  object.Finish();
  return entry;
}

std::string Shown(const BaselineEntry& entry) {
  return entry.decision + (entry.rule.empty() ? "" : " (" + entry.rule + ")");
}

}  // namespace

std::vector<BaselineEntry> EntriesOf(const Matrix& matrix) {
  std::vector<BaselineEntry> entries;
  for (const Row& row : matrix.rows) {
    for (const Cell& cell : row.cells) {
      entries.push_back({row.fixture.name, matrix.columns[cell.column].label(),
                         cell.ruling.decision, cell.ruling.rule_place});
    }
  }
  return entries;
}

Result<std::vector<BaselineEntry>> ParseBaseline(std::string text, const std::string& name) {
  Result<JsonTree> tree = JsonTree::Parse(std::move(text), name, false);
  if (!tree) return tree.error();
  std::vector<Error> mistakes;
  JsonDocument document(*tree, mistakes);
  ObjectReader object(document, tree->root());
  if (object.Number("version") != 1) {
    document.Wrong(tree->root(), "is no baseline: it has no \"version\": 1",
                   "make one: ringfence audit PATH... --baseline FILE --update");
  }
  std::vector<BaselineEntry> entries;
  if (const Node* list = object.Array("decisions")) {
    for (JsonTree::Index i = list->first_child; i != JsonTree::kNone; i = tree->node(i).next) {
      entries.push_back(ReadEntry(document, tree->node(i)));
    }
  }
  object.Finish();
  if (!mistakes.empty()) return mistakes.front();
  return entries;
}

std::string RenderBaseline(const std::vector<BaselineEntry>& entries) {
  std::string out = "{\n  \"version\": 1,\n  \"decisions\": [";
  for (const BaselineEntry& entry : entries) {
    out += &entry == &entries.front() ? "\n" : ",\n";
    out += "    {\"fixture\": " + JsonString(entry.fixture);
    out += ", \"under\": " + JsonString(entry.under);
    out += ", \"decision\": " + JsonString(entry.decision);
    if (!entry.rule.empty()) out += ", \"rule\": " + JsonString(entry.rule);
    out += "}";
  }
  return out + (entries.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::vector<BaselineChange> ChangesSince(const std::vector<BaselineEntry>& before,
                                         const std::vector<BaselineEntry>& now) {
  std::map<std::pair<std::string, std::string>, const BaselineEntry*> known;
  for (const BaselineEntry& entry : before) known[{entry.fixture, entry.under}] = &entry;
  std::vector<BaselineChange> changes;
  for (const BaselineEntry& entry : now) {
    const auto found = known.find({entry.fixture, entry.under});
    if (found == known.end()) {
      changes.push_back({entry.fixture, entry.under, "", Shown(entry)});
      continue;
    }
    if (*found->second != entry) {
      changes.push_back({entry.fixture, entry.under, Shown(*found->second), Shown(entry)});
    }
    known.erase(found);
  }
  for (const auto& [key, entry] : known) {
    changes.push_back({key.first, key.second, Shown(*entry), ""});
  }
  return changes;
}

}  // namespace ringfence
