#include "audit_log/entry.h"

#include <algorithm>
#include <charconv>

#include "audit_log/line.h"
#include "base/inside.h"
#include "base/json_scanner.h"
#include "base/json_tree.h"
#include "base/read_number.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxEntryText = 512;  // of a path, a file name, a pointer
constexpr size_t kMaxWhy = 1024;
constexpr size_t kEntryDepth = 2;  // "paths", "rule" and such

constexpr std::string_view kVerdicts[] = {"permit", "ask", "deny", "error", "alert"};

struct EntryMember {
  std::string_view name;
  std::string AuditEntry::*text = nullptr;
  size_t most = kMaxAuditLine;             // bytes; longer text is cut
  uint64_t AuditEntry::*number = nullptr;  // left out if it is 0
};

// The members of a line, in their order.
constexpr EntryMember kEntryMembers[] = {{"time", &AuditEntry::time},
                                         {"event", &AuditEntry::event},
                                         {"session", &AuditEntry::session},
                                         {"agent_id", &AuditEntry::agent_id},
                                         {"agent_type", &AuditEntry::agent_type},
                                         {"tool", &AuditEntry::tool},
                                         {"profile", &AuditEntry::profile, kMaxEntryText},
                                         {"paths"},
                                         {"verdict"},
                                         {"rule"},
                                         {"why", &AuditEntry::why, kMaxWhy},
                                         {"server", &AuditEntry::server, kMaxEntryText},
                                         {"host", &AuditEntry::host, kMaxEntryText},
                                         {"protocol", &AuditEntry::protocol},
                                         {"method", &AuditEntry::method, kMaxEntryText},
                                         {"path", &AuditEntry::path, kMaxWhy},
                                         {"address", &AuditEntry::address},
                                         {"upstream", &AuditEntry::upstream, kMaxEntryText},
                                         {"status", nullptr, 0, &AuditEntry::status},
                                         {"up", nullptr, 0, &AuditEntry::up},
                                         {"down", nullptr, 0, &AuditEntry::down},
                                         {"ms", nullptr, 0, &AuditEntry::milliseconds},
                                         {"stage", &AuditEntry::stage},
                                         {"number", nullptr, 0, &AuditEntry::number},
                                         {"by", &AuditEntry::by, kMaxEntryText},
                                         {"change", &AuditEntry::change},
                                         {"moved_from", &AuditEntry::moved_from, kMaxEntryText},
                                         {"result", &AuditEntry::result},
                                         {"before"},
                                         {"after"},
                                         {"via", &AuditEntry::via},
                                         {"us"}};

std::string Cut(const std::string& text) { return JsonString(CutText(text, kMaxEntryText)); }

std::string RuleJson(const AuditEntry::Rule& rule) {
  std::string json = "{\"file\":" + Cut(rule.file);
  if (rule.line != 0) json += ",\"line\":" + std::to_string(rule.line);
  return json + ",\"pointer\":" + Cut(rule.pointer) + "}";
}

std::string FileStateJson(const std::optional<AuditEntry::FileState>& state) {
  if (!state) return "";
  std::string json = "{\"kind\":" + Cut(state->kind);
  if (!state->mode.empty()) json += ",\"mode\":" + Cut(state->mode);
  if (state->kind == "file") json += ",\"size\":" + std::to_string(state->size);
  if (!state->sha256.empty()) json += ",\"sha256\":" + Cut(state->sha256);
  if (!state->target.empty()) json += ",\"target\":" + Cut(state->target);
  return json + "}";
}

std::string PathsJson(const std::vector<std::string>& paths) {
  std::string json;
  for (const std::string& path : paths) json += (json.empty() ? "[" : ",") + Cut(path);
  return json + "]";
}

// Returns "" if the entry does not have the member.
std::string MemberJson(const EntryMember& member, const AuditEntry& entry) {
  if (member.text != nullptr) {
    const std::string& text = entry.*member.text;
    return text.empty() ? "" : JsonString(CutText(text, member.most));
  }
  if (member.number != nullptr) {
    const uint64_t number = entry.*member.number;
    return number == 0 ? "" : std::to_string(number);
  }
  if (member.name == "paths") return entry.paths.empty() ? "" : PathsJson(entry.paths);
  if (member.name == "verdict") {
    return entry.verdict ? JsonString(VerdictName(*entry.verdict)) : "";
  }
  if (member.name == "rule") return entry.rule ? RuleJson(*entry.rule) : "";
  if (member.name == "before") return FileStateJson(entry.before);
  if (member.name == "after") return FileStateJson(entry.after);
  return std::to_string(entry.microseconds);
}

std::optional<AuditEntry::Rule> RuleOf(const JsonTree& tree) {
  const JsonNode* rule = tree.Find(tree.root(), "rule");
  if (rule == nullptr || rule->kind != JsonKind::kObject) return {};
  AuditEntry::Rule found{std::string(tree.Text(*rule, "file")), 0,
                         std::string(tree.Text(*rule, "pointer"))};
  const JsonNode* line = tree.Find(*rule, "line");
  if (line != nullptr && line->kind == JsonKind::kNumber) {
    const std::string_view digits = line->content();
    std::from_chars(digits.data(), digits.data() + digits.size(), found.line);
  }
  return found;
}

uint64_t NumberIn(const JsonTree& tree, const JsonNode& object, std::string_view name) {
  const JsonNode* node = tree.Find(object, name);
  uint64_t number = 0;
  if (node == nullptr || node->kind != JsonKind::kNumber) return 0;
  return ReadNumber(node->content(), number) ? number : 0;
}

std::optional<AuditEntry::FileState> FileStateOf(const JsonTree& tree, std::string_view name) {
  const JsonNode* state = tree.Find(tree.root(), name);
  if (state == nullptr || state->kind != JsonKind::kObject) return {};
  return AuditEntry::FileState{.kind = std::string(tree.Text(*state, "kind")),
                               .mode = std::string(tree.Text(*state, "mode")),
                               .size = NumberIn(tree, *state, "size"),
                               .sha256 = std::string(tree.Text(*state, "sha256")),
                               .target = std::string(tree.Text(*state, "target"))};
}

std::vector<std::string> ReadPaths(const JsonTree& tree) {
  std::vector<std::string> paths;
  const JsonNode* node = tree.Find(tree.root(), "paths");
  if (node == nullptr || node->kind != JsonKind::kArray) return paths;
  for (const JsonNode& path : tree.ChildrenOf(*node)) {
    if (path.kind == JsonKind::kString) paths.emplace_back(path.content());
  }
  return paths;
}

}  // namespace

LoggedVerdict LoggedVerdictOf(Verdict verdict) { return static_cast<LoggedVerdict>(verdict); }

std::string_view VerdictName(std::optional<LoggedVerdict> verdict) {
  return verdict ? kVerdicts[static_cast<size_t>(*verdict)] : "";
}

std::optional<LoggedVerdict> VerdictNamed(std::string_view name) {
  const auto* found = std::ranges::find(kVerdicts, name);
  if (found == std::end(kVerdicts)) return {};
  return static_cast<LoggedVerdict>(found - std::begin(kVerdicts));
}

std::string AuditEntry::Rule::label() const {
  return PlaceLabel({.file = file, .pointer = pointer, .line = line});
}

void AuditEntry::Take(const Event& said) {
  event = said.name;
  session = said.session_id;
  agent_id = said.agent_id;
  agent_type = said.agent_type;
  tool = said.tool_name;
}

void AuditEntry::Take(const Decision& decision) {
  verdict = LoggedVerdictOf(decision.verdict);
  paths = decision.paths;
  if (!decision.cause) return;
  why = decision.cause->why;
  host = decision.cause->host;
  const std::optional<RulePlace>& place = decision.cause->place;
  if (place) rule = Rule{std::string(place->file), place->line, std::string(place->pointer)};
}

std::string AuditText(const AuditEntry& entry) {
  std::string line;
  for (const EntryMember& member : kEntryMembers) {
    const std::string value = MemberJson(member, entry);
    if (value.empty()) continue;
    line += (line.empty() ? "{\"" : ",\"") + std::string(member.name) + "\":" + value;
  }
  return line;
}

bool IsAuditText(std::string_view text) {
  if (text.size() > kMaxAuditLine || !text.starts_with("{\"time\":\"")) return false;
  // JSON white space other than the space; a log line has none.
  if (text.find_first_of("\n\r\t") != std::string_view::npos) return false;
  const std::string document = std::string(text) + "}";
  TextSource source(document);
  JsonScanner scanner(source, {.comments = false, .max_depth = kEntryDepth});
  for (;;) {
    const Token token = scanner.Next();
    if (token == Token::kEnd) return true;
    if (token == Token::kError) return false;
    if (token != Token::kKey || scanner.depth() > 1) continue;
    if (std::ranges::find(kEntryMembers, scanner.text(), &EntryMember::name) ==
        std::end(kEntryMembers)) {
      return false;
    }
  }
}

std::optional<AuditEntry> ReadAuditEntry(std::string_view line) {
  const Result<JsonTree> tree = JsonTree::Parse(std::string(line), "", false);
  if (!tree || tree->root().kind != JsonKind::kObject) return {};
  AuditEntry entry;
  for (const EntryMember& member : kEntryMembers) {
    if (member.text != nullptr) entry.*member.text = tree->Text(tree->root(), member.name);
    if (member.number != nullptr) entry.*member.number = NumberIn(*tree, tree->root(), member.name);
  }
  if (entry.time.empty()) return {};
  entry.paths = ReadPaths(*tree);
  entry.verdict = VerdictNamed(tree->Text(tree->root(), "verdict"));
  entry.rule = RuleOf(*tree);
  entry.before = FileStateOf(*tree, "before");
  entry.after = FileStateOf(*tree, "after");
  const std::string_view inside = tree->Text(tree->root(), "inside");
  entry.is_inside = !inside.empty();
  if (entry.is_inside) entry.time = inside;
  entry.is_unlocked = IsUnlocked(line);
  return entry;
}

}  // namespace ringfence
