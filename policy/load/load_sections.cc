#include "policy/load/load_sections.h"

#include <algorithm>

#include "policy/rules/path_entry.h"

namespace ringfence {
namespace {

constexpr uint64_t kLeastMemory = uint64_t{16} << 20;

uint64_t UnitFactor(char unit) {
  switch (unit) {
    case 'K':
      return 1ull << 10;
    case 'M':
      return 1ull << 20;
    case 'G':
      return 1ull << 30;
    case 'T':
      return 1ull << 40;
    default:
      return 0;
  }
}

// "64M" in bytes; nothing when it is not a size.
std::optional<uint64_t> ParseSize(std::string_view text) {
  uint64_t factor = 1;
  if (!text.empty() && UnitFactor(text.back()) != 0) {
    factor = UnitFactor(text.back());
    text.remove_suffix(1);
  }
  if (text.empty() || text.size() > 6) return {};
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  if (value == 0) return {};
  return value * factor;
}

}  // namespace

std::optional<uint64_t> SectionReader::ReadSize(ObjectReader& object, std::string_view key) {
  const auto text = object.String(key);
  if (!text) return {};
  const std::optional<uint64_t> size = ParseSize(*text);
  if (!size) document_.Wrong(*object.Any(key), "must be a size such as \"64M\" or \"8G\"");
  return size;
}

std::optional<double> SectionReader::ReadPositive(ObjectReader& object, std::string_view key,
                                                  bool whole) {
  const auto number = object.Number(key);
  if (!number) return {};
  const bool in_range = *number > 0 && *number <= 1e6;
  const bool is_whole = in_range && *number == static_cast<double>(static_cast<int64_t>(*number));
  if (in_range && (is_whole || !whole)) return number;
  document_.Wrong(*object.Any(key), whole ? "must be a whole number from 1 to 1000000"
                                          : "must be a number above 0 and up to 1000000");
  return {};
}

SectionReader::Texts SectionReader::ReadTexts(ObjectReader& object, std::string_view key) {
  const auto strings = object.Strings(key);
  if (!strings) return {};
  std::vector<std::string_view> texts;
  for (const Node* node : *strings) {
    if (node->content().empty()) document_.Wrong(*node, "is empty");
    if (node->has_nul) document_.Wrong(*node, "holds NUL");
    texts.push_back(node->content());
  }
  return texts;
}

// Of variables (environ(7)).
SectionReader::Texts SectionReader::ReadNames(ObjectReader& object, std::string_view key) {
  const auto strings = object.Strings(key);
  if (!strings) return {};
  for (const Node* node : *strings) {
    const bool has_value = node->content().find('=') != std::string_view::npos;
    if (has_value) document_.Wrong(*node, "must be the name of a variable, without \"=\"");
  }
  return ReadTexts(object, key);
}

// A file outside of the project's reach: absolute or below the home.
std::optional<std::string_view> SectionReader::ReadOwnPath(ObjectReader& object,
                                                           std::string_view key) {
  const auto text = object.String(key);
  if (!text) return {};
  PathRule rule;
  const Status parsed = ParsePathEntry(*text, ListKind::kAllow, strings_, &rule);
  const bool sound =
      parsed && rule.set == SetName::kNone && !rule.has_pattern && rule.base != RuleBase::kRoot;
  if (!sound) {
    document_.Wrong(*object.Any(key), "must be a path that begins with / or ~/",
                    parsed || text->empty() ? "" : parsed.error().hint);
  }
  return text;
}

SandboxSection SectionReader::ReadSandbox(const Node& node) {
  SandboxSection section;
  ObjectReader object(document_, node);
  constexpr ObjectReader::Choice<SandboxMode> kModes[] = {
      {"sandbox", SandboxMode::kSandbox}, {"rx", SandboxMode::kRx}, {"rwx", SandboxMode::kRwx}};
  section.mode = object.OneOf("mode", kModes);
  constexpr ObjectReader::Choice<SandboxLayers> kLayers[] = {
      {"full", SandboxLayers::kFull}, {"landlock", SandboxLayers::kLandlock}};
  section.layers = object.OneOf("layers", kLayers);
  constexpr ObjectReader::Choice<SandboxMissing> kMissing[] = {{"refuse", SandboxMissing::kRefuse},
                                                               {"warn", SandboxMissing::kWarn}};
  section.missing = object.OneOf("missing", kMissing);
  constexpr ObjectReader::Choice<SandboxReads> kReads[] = {{"all", SandboxReads::kAll},
                                                           {"listed", SandboxReads::kListed}};
  section.reads = object.OneOf("reads", kReads);
  section.memory = ReadSize(object, "memory");
  if (section.memory && *section.memory < kLeastMemory) {
    document_.Wrong(*object.Any("memory"), "is too little for any program to start",
                    "give it 16M or more");
  }
  section.io = ReadSize(object, "io");
  if (const auto count = ReadPositive(object, "processes", true)) {
    section.processes = static_cast<uint64_t>(*count);
  }
  section.cpus = ReadPositive(object, "cpus", false);
  section.env = ReadNames(object, "env");
  object.Finish();
  return section;
}

StageSection SectionReader::ReadStage(const Node& node) {
  StageSection section;
  ObjectReader object(document_, node);
  section.verify = ReadTexts(object, "verify");
  if (const Node* commands = object.Object("commands")) {
    ObjectReader inner(document_, *commands);
    section.sandbox = inner.Bool("sandbox");
    section.auto_apply = inner.Bool("auto_apply");
    section.trusted = ReadTexts(inner, "trusted");
    inner.Finish();
  }
  object.Finish();
  return section;
}

AuditSection SectionReader::ReadAudit(const Node& node) {
  AuditSection section;
  ObjectReader object(document_, node);
  section.file = ReadOwnPath(object, "file");
  section.rotate = ReadSize(object, "rotate");
  section.required = object.Bool("required");
  constexpr ObjectReader::Choice<SystemLog> kSystemLogs[] = {
      {"anchors", SystemLog::kAnchors}, {"lines", SystemLog::kLines}, {"off", SystemLog::kOff}};
  section.system_log = object.OneOf("system_log", kSystemLogs);
  object.Finish();
  return section;
}

AlertSection SectionReader::ReadAlerts(const Node& node, bool needs_inbox) {
  AlertSection section;
  section.is_there = true;
  ObjectReader object(document_, node);
  section.enabled = object.Bool("enabled");
  section.inbox = ReadOwnPath(object, "inbox");
  if (needs_inbox && object.Any("inbox") == nullptr) {
    document_.Wrong(node, "has no \"inbox\"", "name the directory that alerts are written to");
  }
  if (const Node* fields = object.Object("fields")) ReadAlertFields(*fields, section);
  object.Finish();
  return section;
}

void SectionReader::ReadAlertFields(const Node& node, AlertSection& section) {
  const JsonTree& tree = document_.tree();
  for (JsonTree::Index i = node.first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    const Node& member = tree.node(i);
    const std::string_view name = tree.KeyOf(member);
    if (std::ranges::find(kAlertMembers, name) != std::end(kAlertMembers)) {
      document_.Wrong(member, "is a field that ringfence writes itself",
                      "give the constant another name");
    } else if (member.kind != JsonTree::Kind::kString) {
      document_.Wrong(member, "must be a string");
    }
    section.fields.emplace_back(name, member.content());
  }
}

}  // namespace ringfence
