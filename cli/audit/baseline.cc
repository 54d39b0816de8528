#include "cli/audit/baseline.h"

#include <map>
#include <utility>

#include "base/joined.h"
#include "base/sha256.h"
#include "base/text.h"
#include "policy/load/object_reader.h"

namespace ringfence {
namespace {

BaselineEntry ReadBaselineEntry(JsonDocument& document, const JsonNode& node) {
  ObjectReader object(document, node);
  BaselineEntry entry;
  entry.fixture = object.String("fixture").value_or("");
  entry.under = object.String("under").value_or("");
  entry.decision = object.String("decision").value_or("");
  entry.rule = object.String("rule").value_or("");
  entry.says = object.String("says").value_or("");
  entry.call = object.String("call").value_or("");
  if (entry.fixture.empty() || entry.decision.empty()) {
    document.Wrong(node, "needs \"fixture\" and \"decision\"");
  }
  object.Finish();
  return entry;
}

std::string DecisionText(const BaselineEntry& entry) {
  return entry.decision + (entry.says.empty() ? "" : ", says \"" + entry.says + "\"") +
         (entry.rule.empty() ? "" : " (" + entry.rule + ")");
}

// Digest of the event and its surroundings, without the policy, whose effect the baseline records.
std::string CallOf(const Fixture& fixture) {
  constexpr size_t kDigits = 16;
  std::string text = fixture.event + "\n" + fixture.root + "\n" + fixture.home + "\n";
  if (fixture.files) {
    for (const MemoryFiles::Entry& entry : *fixture.files) {
      const FileFacts& facts = entry.node.facts;
      text += entry.path + " " + std::to_string(static_cast<int>(facts.kind)) + " " +
              std::to_string(facts.mode) + " " + std::to_string(facts.owner) + " " +
              entry.node.target + "\n";
    }
  }
  return Sha256Hex(text).substr(0, kDigits);
}

}  // namespace

std::vector<BaselineEntry> EntriesOf(const Matrix& matrix) {
  std::vector<BaselineEntry> entries;
  for (const Row& row : matrix.rows) {
    const std::string call = CallOf(row.fixture);
    for (const Cell& cell : row.cells) {
      const CellResult& result = cell.result;
      entries.push_back({row.fixture.name, matrix.columns[cell.column].label(),
                         std::string(VerdictName(result.decision)), result.rule_place,
                         result.says_allow ? "allow" : "", call});
    }
  }
  return entries;
}

Result<std::vector<BaselineEntry>> ParseBaseline(std::string text, const std::string& name) {
  std::vector<BaselineEntry> entries;
  const auto add = [&](JsonDocument& document, const JsonNode& entry) {
    entries.push_back(ReadBaselineEntry(document, entry));
  };
  const Status status = ReadOwnFile(std::move(text), name, "decisions", add);
  if (status) return entries;
  Error error = status.error();
  error.what = "is not a baseline: " + error.what;
  error.hint = "make one: ringfence audit PATH... --baseline FILE --update";
  return error;
}

std::string RenderBaseline(const std::vector<BaselineEntry>& entries) {
  return OwnFileText("decisions", Joined(entries, ",\n", [](const BaselineEntry& entry) {
                       std::string out = "    {\"fixture\": " + JsonString(entry.fixture);
                       out += ", \"under\": " + JsonString(entry.under);
                       out += ", \"decision\": " + JsonString(entry.decision);
                       if (!entry.rule.empty()) out += ", \"rule\": " + JsonString(entry.rule);
                       if (!entry.says.empty()) out += ", \"says\": " + JsonString(entry.says);
                       return out + ", \"call\": " + JsonString(entry.call) + "}";
                     }));
}

std::vector<BaselineChange> ChangesSince(const std::vector<BaselineEntry>& before,
                                         const std::vector<BaselineEntry>& now) {
  std::map<std::pair<std::string, std::string>, const BaselineEntry*> known;
  for (const BaselineEntry& entry : before) known[{entry.fixture, entry.under}] = &entry;
  std::vector<BaselineChange> changes;
  for (const BaselineEntry& entry : now) {
    const auto found = known.find({entry.fixture, entry.under});
    if (found == known.end()) {
      changes.push_back({entry.fixture, entry.under, "", DecisionText(entry)});
      continue;
    }
    const BaselineEntry& was = *found->second;
    if (was != entry) {
      const bool is_other_call = was.call != entry.call;
      changes.push_back({entry.fixture, entry.under, DecisionText(was),
                         DecisionText(entry) + (is_other_call ? ", of another call" : "")});
    }
    known.erase(found);
  }
  for (const auto& [key, entry] : known) {
    changes.push_back({key.first, key.second, DecisionText(*entry), ""});
  }
  return changes;
}

}  // namespace ringfence
