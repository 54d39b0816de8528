#include "audit_log/entry.h"

#include <algorithm>
#include <charconv>

#include "audit_log/line.h"
#include "base/inside.h"
#include "base/json_scanner.h"
#include "base/json_tree.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxText = 512;  // of a path, a file name, a pointer
constexpr size_t kMaxWhy = 1024;
constexpr size_t kMaxDepth = 2;  // "paths" and "rule"

struct Member {
  std::string_view name;
  std::string AuditEntry::*text = nullptr;
  size_t most = kMaxAuditLine;  // bytes; more is cut
};

// In the order in which they are written.
constexpr Member kMembers[] = {{"time", &AuditEntry::time},
                               {"event", &AuditEntry::event},
                               {"session", &AuditEntry::session},
                               {"agent_id", &AuditEntry::agent_id},
                               {"agent_type", &AuditEntry::agent_type},
                               {"tool", &AuditEntry::tool},
                               {"profile", &AuditEntry::profile, kMaxText},
                               {"paths"},
                               {"verdict", &AuditEntry::verdict},
                               {"rule"},
                               {"why", &AuditEntry::why, kMaxWhy},
                               {"server", &AuditEntry::server, kMaxText},
                               {"us"}};

std::string Cut(const std::string& text) { return JsonString(CutText(text, kMaxText)); }

std::string RuleJson(const AuditEntry::Rule& rule) {
  std::string json = "{\"file\":" + Cut(rule.file);
  if (rule.line != 0) json += ",\"line\":" + std::to_string(rule.line);
  return json + ",\"pointer\":" + Cut(rule.pointer) + "}";
}

std::string PathsJson(const std::vector<std::string>& paths) {
  std::string json;
  for (const std::string& path : paths) json += (json.empty() ? "[" : ",") + Cut(path);
  return json + "]";
}

// "" where the entry does not have it.
std::string ValueOf(const Member& member, const AuditEntry& entry) {
  if (member.text != nullptr) {
    const std::string& text = entry.*member.text;
    return text.empty() ? "" : JsonString(CutText(text, member.most));
  }
  if (member.name == "paths") return entry.paths.empty() ? "" : PathsJson(entry.paths);
  if (member.name == "rule") return entry.rule ? RuleJson(*entry.rule) : "";
  return std::to_string(entry.microseconds);
}

std::string TextAt(const JsonTree& tree, const JsonTree::Node& object, std::string_view key) {
  const JsonTree::Node* node = tree.Find(object, key);
  const bool is_text = node != nullptr && node->kind == JsonTree::Kind::kString;
  return is_text ? std::string(node->content()) : "";
}

std::optional<AuditEntry::Rule> RuleOf(const JsonTree& tree) {
  const JsonTree::Node* rule = tree.Find(tree.root(), "rule");
  if (rule == nullptr || rule->kind != JsonTree::Kind::kObject) return {};
  AuditEntry::Rule found{TextAt(tree, *rule, "file"), 0, TextAt(tree, *rule, "pointer")};
  const JsonTree::Node* line = tree.Find(*rule, "line");
  if (line != nullptr && line->kind == JsonTree::Kind::kNumber) {
    const std::string_view digits = line->content();
    std::from_chars(digits.data(), digits.data() + digits.size(), found.line);
  }
  return found;
}

std::vector<std::string> PathsOf(const JsonTree& tree) {
  std::vector<std::string> paths;
  const JsonTree::Node* node = tree.Find(tree.root(), "paths");
  if (node == nullptr || node->kind != JsonTree::Kind::kArray) return paths;
  for (JsonTree::Index i = node->first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    if (tree.node(i).kind == JsonTree::Kind::kString) paths.emplace_back(tree.node(i).content());
  }
  return paths;
}

}  // namespace

std::string AuditEntry::Rule::text() const {
  return file + (line == 0 ? "" : ":" + std::to_string(line)) + " " + pointer;
}

void AuditEntry::Take(const Event& said) {
  event = said.name;
  session = said.session_id;
  agent_id = said.agent_id;
  agent_type = said.agent_type;
  tool = said.tool_name;
}

void AuditEntry::Take(const Decision& decision) {
  verdict = VerdictName(decision.verdict);
  paths = decision.paths;
  if (!decision.cause) return;
  why = decision.cause->why;
  const std::optional<RulePlace>& place = decision.cause->place;
  if (place) rule = Rule{std::string(place->file), place->line, std::string(place->pointer)};
}

std::string AuditText(const AuditEntry& entry) {
  std::string line;
  for (const Member& member : kMembers) {
    const std::string value = ValueOf(member, entry);
    if (value.empty()) continue;
    line += (line.empty() ? "{\"" : ",\"") + std::string(member.name) + "\":" + value;
  }
  return line;
}

bool IsAuditText(std::string_view text) {
  if (text.size() > kMaxAuditLine || !text.starts_with("{\"time\":\"")) return false;
  // JSON's white space: a line of the log has none.
  if (text.find_first_of("\n\r\t") != std::string_view::npos) return false;
  const std::string document = std::string(text) + "}";
  TextSource source(document);
  JsonScanner scanner(source, {.comments = false, .max_depth = kMaxDepth});
  for (;;) {
    const Token token = scanner.Next();
    if (token == Token::kEnd) return true;
    if (token == Token::kError) return false;
    if (token != Token::kKey || scanner.depth() > 1) continue;
    if (std::ranges::find(kMembers, scanner.text(), &Member::name) == std::end(kMembers)) {
      return false;
    }
  }
}

std::optional<AuditEntry> ReadAuditEntry(std::string_view line) {
  const Result<JsonTree> tree = JsonTree::Parse(std::string(line), "", false);
  if (!tree || tree->root().kind != JsonTree::Kind::kObject) return {};
  AuditEntry entry;
  for (const Member& member : kMembers) {
    if (member.text != nullptr) entry.*member.text = TextAt(*tree, tree->root(), member.name);
  }
  if (entry.time.empty()) return {};
  entry.paths = PathsOf(*tree);
  entry.rule = RuleOf(*tree);
  const std::string inside = TextAt(*tree, tree->root(), "inside");
  entry.is_inside = !inside.empty();
  if (entry.is_inside) entry.time = inside;
  entry.is_unlocked = IsUnlocked(line);
  return entry;
}

}  // namespace ringfence
