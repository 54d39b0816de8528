#include "policy/load/rule_lists.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "policy/agent.h"
#include "policy/rules/domain.h"
#include "policy/rules/path_entry.h"
#include "policy/rules/sets.h"

namespace ringfence {
namespace {

constexpr std::string_view kAgentHostSet = "@agent-hosts";

std::string PointerTo(std::string_view at, std::string_view key) {
  return std::string(at) + "/" + std::string(key);
}

ListKind KindOfList(std::string_view key) {
  if (key == "allow") return ListKind::kAllow;
  return key == "ask" ? ListKind::kAsk : ListKind::kDeny;
}

Status ParseTool(std::string_view text, NameRule* rule) {
  rule->pattern = text;
  rule->set = text == "@session-tools" ? ToolSet::kSession
              : text == "@known-tools" ? ToolSet::kKnown
                                       : ToolSet::kNone;
  if (rule->set != ToolSet::kNone) return Unit{};
  if (text.starts_with('@')) {
    return ConfigError(
        "",
        Quote(text) + " is not a set of tools; there are \"@session-tools\" and \"@known-tools\"");
  }
  if (IsToolPattern(text)) return Unit{};
  return ConfigError("", "is not the name of a tool", "letters, digits and \"*\" for any of them");
}

// Parses the name in an entry of network.private.
Status ParsePrivateHost(std::string_view lower_entry, HostRule* host) {
  Result<HostRule> parsed = ParseHostRule(lower_entry);
  if (!parsed) return parsed.error();
  if (parsed->any || NeedsOwnEntry(*parsed)) {
    return ConfigError("", "is not the name of a host",
                       "write a name or *.host.example; an address needs no entry here");
  }
  *host = *parsed;
  host->wide = true;
  return Unit{};
}

// Parses a range of private or link-local addresses.
Status ParsePrivateRange(std::string_view text, AddressRange* range) {
  const std::optional<AddressRange> parsed = ParseAddressRange(text);
  if (!parsed) {
    return ConfigError("", "is not a range of addresses",
                       "write 10.1.0.0/16, fd00::/8 or one address; the bits after the prefix "
                       "must be 0");
  }
  Address last = parsed->first;
  for (size_t bit = parsed->prefix; bit < 128; ++bit) last[bit / 8] |= uint8_t(0x80 >> (bit % 8));
  for (const Address& end : {parsed->first, last}) {
    const AddressKind kind = KindOfAddress(end);
    if (kind == AddressKind::kPrivate || kind == AddressKind::kLinkLocal) continue;
    return ConfigError("", "is not a private range",
                       kind == AddressKind::kLoopback
                           ? "a port of this machine is host.ringfence:PORT in \"allow\""
                           : "only addresses of the user's own networks belong here, such as those "
                             "in 10.0.0.0/8, 192.168.0.0/16 or fd00::/8");
  }
  *range = *parsed;
  return Unit{};
}

}  // namespace

RulePlace RuleOrigin::At(uint32_t offset) const {
  return {file, pointer, file == kBuiltInPolicy ? 0 : LineOf(text, offset), quotable};
}

std::string RuleOrigin::WrittenAt(uint32_t offset) const {
  TextSource source(text.substr(offset));
  JsonScanner scanner(source, {});
  JsonScanner::String string;
  if (scanner.Next() != Token::kString || !scanner.TakeString(text.size(), &string)) return "";
  return std::string(string.text);
}

RuleList<PrivateRule> RuleListReader::ReadPrivate(ObjectReader& object, std::string_view at) {
  const JsonNode* node = object.Object("private");
  if (node == nullptr) return {};
  const JsonTree& tree = document_.tree();
  const std::string pointer = PointerTo(at, "private");
  RuleList<PrivateRule> rules(std::in_place);
  for (const JsonNode& member : tree.ChildrenOf(*node)) {
    PrivateRule& rule = rules->emplace_back();
    const Status sound =
        ParsePrivateHost(file_.strings->emplace_back(LowerAscii(tree.KeyOf(member))), &rule.host);
    if (!sound) document_.Wrong(member, sound.error().what, sound.error().hint);
    rule.host.place = PlaceOf(member, pointer);
    const auto ranges = ObjectReader(document_, *node).Strings(tree.KeyOf(member));
    if (!ranges) continue;
    for (const JsonNode* text : *ranges) {
      const Status in_range = ParsePrivateRange(text->content(), &rule.ranges.emplace_back());
      if (!in_range) document_.Wrong(*text, in_range.error().what, in_range.error().hint);
    }
  }
  return rules;
}

bool IsToolPattern(std::string_view text) {
  if (text.empty() || text.size() > 256) return false;
  return std::ranges::all_of(text, [](char c) {
    return IsAlnum(c) || std::string_view("_-.:/*").find(c) != std::string_view::npos;
  });
}

const RuleOrigin* RuleListReader::OriginOf(const std::string& pointer) {
  const auto known = std::ranges::find(*file_.origins, pointer, &RuleOrigin::pointer);
  if (known != file_.origins->end()) return &*known;
  return &file_.origins->emplace_back(
      RuleOrigin{file_.shown, pointer, quotable_, file_.tree->text()});
}

RulePlace RuleListReader::PlaceOf(const JsonNode& node, const std::string& pointer) {
  return OriginOf(pointer)->At(node.begin);
}

// `read` fills in one rule from an element.
template <typename Rule, typename Read>
RuleList<Rule> RuleListReader::ReadList(ObjectReader& object, std::string_view key, Read read) {
  const JsonNode* list = object.Array(key);
  if (list == nullptr) return {};
  if (key == "allow" && list->size == 0) {
    document_.Wrong(*list, "is empty",
                    "leave it out for the default; to permit nothing, deny \"/\" (paths) or \"*\" "
                    "(hosts, tools)");
  }
  const JsonTree& tree = document_.tree();
  RuleList<Rule> rules(std::in_place);
  rules->reserve(list->size);
  for (const JsonNode& node : tree.ChildrenOf(*list)) {
    if (!document_.IsString(node)) continue;
    const Status sound = read(node, &rules->emplace_back());
    if (sound) continue;
    document_.Wrong(node, sound.error().what, sound.error().hint);
    rules->pop_back();
  }
  return rules;
}

RuleList<PathRule> RuleListReader::ReadPathList(ObjectReader& object, std::string_view key,
                                                std::string_view at) {
  const RuleOrigin* origin = nullptr;
  const ListKind kind = KindOfList(key);
  return ReadList<PathRule>(object, key, [&](const JsonNode& node, PathRule* rule) {
    if (origin == nullptr) origin = OriginOf(PointerTo(at, key));
    rule->origin = origin;
    rule->offset = node.begin;
    return ParsePathEntry(node.content(), kind, *file_.strings, rule);
  });
}

RuleList<NameRule> RuleListReader::ReadToolList(ObjectReader& object, std::string_view key,
                                                std::string_view at) {
  const std::string pointer = PointerTo(at, key);
  return ReadList<NameRule>(object, key, [&](const JsonNode& node, NameRule* rule) {
    rule->place = PlaceOf(node, pointer);
    return ParseTool(node.content(), rule);
  });
}

RuleLists<PathRule> RuleListReader::ReadPaths(ObjectReader& object, std::string_view at) {
  return {.allow = ReadPathList(object, "allow", at),
          .ask = ReadPathList(object, "ask", at),
          .deny = ReadPathList(object, "deny", at)};
}

RuleLists<NameRule> RuleListReader::ReadTools(ObjectReader& object, std::string_view at) {
  return {.allow = ReadToolList(object, "allow", at),
          .ask = ReadToolList(object, "ask", at),
          .deny = ReadToolList(object, "deny", at)};
}

NetworkSection RuleListReader::ReadNetwork(ObjectReader& object, const JsonTree::Node& node,
                                           std::string_view at) {
  return {.allow = ReadHosts(object, "allow", at),
          .deny = ReadHosts(object, "deny", at),
          .inspect = ReadHosts(object, "inspect", at),
          .private_rules = ReadPrivate(object, at),
          .private_place = PlaceOf(node, std::string(at)),
          .place = PlaceOf(node, std::string(at)),
          .of_project = file_.of_project};
}

Status RuleListReader::ReadHost(std::string_view text, std::string_view key, HostRule* rule) {
  if (text == kAgentHostSet) {
    rule->written = text;
    return Unit{};
  }
  Result<HostRule> parsed = ParseHostRule(file_.strings->emplace_back(LowerAscii(text)));
  if (!parsed) return parsed.error();
  *rule = *parsed;
  if (rule->host == kHostLoopback && key != "deny" && file_.of_project) {
    return ConfigError("", std::string(kNotOfProject),
                       "remove it here, and run: ringfence allow " + std::string(rule->written));
  }
  return Unit{};
}

RuleList<HostRule> RuleListReader::ReadHosts(ObjectReader& object, std::string_view key,
                                             std::string_view at) {
  const std::string pointer = PointerTo(at, key);
  auto rules = ReadList<HostRule>(object, key, [&](const JsonNode& node, HostRule* rule) {
    Status sound = ReadHost(node.content(), key, rule);
    rule->place = PlaceOf(node, pointer);
    rule->wide = key == "deny";
    return sound;
  });
  if (!rules) return {};
  std::vector<HostRule> expanded;
  for (const HostRule& rule : *rules) {
    if (rule.written != kAgentHostSet) {
      expanded.push_back(rule);
      continue;
    }
    for (const std::string_view host : agent_.hosts) expanded.emplace_back(rule).host = host;
  }
  return expanded;
}

}  // namespace ringfence
