#include "files/step_journal.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "base/sealed.h"
#include "files/beneath.h"

namespace ringfence {
namespace {

using Cbor = nlohmann::json;
constexpr std::string_view kStepsHeader = "ringfence tree journal 1\n";
constexpr std::string_view kContentsHeader = "ringfence tree contents 1\n";

Cbor EntryJson(const Entry& entry) {
  Cbor json{static_cast<int>(entry.kind),
            entry.mode,
            entry.size,
            entry.target,
            entry.device,
            entry.inode,
            entry.mtime,
            entry.ctime,
            entry.owner,
            entry.group,
            entry.links};
  // Earlier versions have noted neither of these.
  if (entry.attributes.empty() && entry.digest.empty()) return json;
  Cbor& list = json.emplace_back(Cbor::array());
  for (const auto& [name, digest] : entry.attributes) list.push_back({name, digest});
  if (!entry.digest.empty()) json.push_back(entry.digest);
  return json;
}

Entry EntryIn(const Cbor& json) {
  const int kind = json.at(0).get<int>();
  if (kind < 0 || kind > static_cast<int>(EntryKind::kSpecial)) throw std::out_of_range("kind");
  Entry entry{.kind = static_cast<EntryKind>(kind),
              .mode = json.at(1),
              .size = json.at(2),
              .target = json.at(3),
              .device = json.at(4),
              .inode = json.at(5),
              .mtime = json.at(6),
              .ctime = json.at(7),
              .owner = json.at(8),
              .group = json.at(9),
              .links = json.at(10)};
  constexpr size_t kAttributes = 11;
  constexpr size_t kDigest = 12;
  if (json.size() > kAttributes) {
    for (const Cbor& one : json.at(kAttributes)) {
      entry.attributes.push_back({one.at(0), one.at(1)});
    }
  }
  if (json.size() > kDigest) json.at(kDigest).get_to(entry.digest);
  return entry;
}

Cbor ContentsJson(const Contents& contents) {
  Cbor list = Cbor::array();
  for (const auto& [path, entry] : contents) list.push_back({path, EntryJson(entry)});
  return list;
}

Contents ContentsIn(const Cbor& json) {
  Contents contents;
  for (const Cbor& one : json) {
    contents.emplace_back(one.at(0).get<std::string>(), EntryIn(one.at(1)));
  }
  return contents;
}

Cbor StepJson(const DoneStep& step) {
  Cbor json{static_cast<int>(step.kind),
            step.path,
            step.temporary,
            EntryJson(step.before),
            ContentsJson(step.before_inside),
            EntryJson(step.placed),
            ContentsJson(step.placed_inside),
            step.mode};
  for (const auto* values : {&step.old_attributes, &step.attributes}) {
    if (*values) json.push_back(**values);
  }
  if (step.mark) json.push_back(true);
  return json;
}

DoneStep StepIn(const Cbor& json) {
  const int kind = json.at(0).get<int>();
  if (kind < 0 || kind > static_cast<int>(DoneStep::Kind::kMode)) throw std::out_of_range("kind");
  DoneStep step{.kind = static_cast<DoneStep::Kind>(kind),
                .path = json.at(1),
                .temporary = json.at(2),
                .before = EntryIn(json.at(3)),
                .before_inside = ContentsIn(json.at(4)),
                .placed = EntryIn(json.at(5)),
                .placed_inside = ContentsIn(json.at(6)),
                .mode = json.at(7)};
  step.mark = json.back().is_boolean() && json.back().get<bool>();
  constexpr size_t kWithoutAttributes = 8;
  if (json.size() > kWithoutAttributes + 1) {
    step.old_attributes = json.at(kWithoutAttributes).get<AttributeValues>();
    step.attributes = json.at(kWithoutAttributes + 1).get<AttributeValues>();
  }
  return step;
}

bool IsSaneStep(const DoneStep& step) {
  return !step.path.empty() && !LeavesFolder(step.path) &&
         step.temporary.starts_with(kTreeTemporary) &&
         step.temporary.find('/') == std::string::npos;
}

std::string Sealed(std::string_view header, const Cbor& list) {
  std::string bytes;
  Cbor::to_cbor(list, bytes);  // names can have any bytes
  return Seal(header, bytes);
}

}  // namespace

std::string RenderSteps(const std::vector<DoneStep>& steps) {
  Cbor list = Cbor::array();
  for (const DoneStep& step : steps) list.push_back(StepJson(step));
  return Sealed(kStepsHeader, list);
}

Result<std::vector<DoneStep>> ParseSteps(std::string_view text, const std::string& name) {
  const Error damaged = ConfigError(name, "is damaged or of another version of ringfence");
  const std::optional<std::string_view> bytes = Unseal(kStepsHeader, text);
  if (!bytes) return damaged;
  try {
    std::vector<DoneStep> steps;
    for (const Cbor& json : Cbor::from_cbor(*bytes)) {
      steps.push_back(StepIn(json));
      if (!IsSaneStep(steps.back())) return damaged;
    }
    return steps;
  } catch (const std::exception&) {
    return damaged;
  }
}

std::string RenderContents(const Contents& contents) {
  return Sealed(kContentsHeader, ContentsJson(contents));
}

Result<Contents> ParseContents(std::string_view text, const std::string& name) {
  const Error damaged = ConfigError(name, "is damaged or of another version of ringfence");
  const std::optional<std::string_view> bytes = Unseal(kContentsHeader, text);
  if (!bytes) return damaged;
  try {
    return ContentsIn(Cbor::from_cbor(*bytes));
  } catch (const std::exception&) {
    return damaged;
  }
}

}  // namespace ringfence
