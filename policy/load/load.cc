#include "policy/load/load.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/contains.h"
#include "base/read_number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/load/key.h"
#include "policy/load/object_reader.h"
#include "policy/load/rule_lists.h"
#include "policy/rules/domain.h"
#include "policy/rules/path_entry.h"

namespace ringfence {
namespace {

using Node = JsonTree::Node;

// Converts a size such as "64M" to bytes; returns 0 if it is not a size.
uint64_t ParseSize(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";  // each is 1024 times the one before it
  const size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  if (unit != kUnits.npos) text.remove_suffix(1);
  uint64_t value = 0;
  if (text.size() > 6 || !ReadNumber(text, value)) return 0;
  return unit == kUnits.npos ? value : value << (10 * (unit + 1));
}

// Reads the keys of a table (key_rows.h) from the objects of a policy file.
class KeyReader {
 public:
  // `rules` supplies the place of each value.
  KeyReader(PolicyFile& file, RuleListReader& rules, JsonDocument& document,
            std::span<const KeyRow> rows)
      : file_(file), rules_(rules), document_(document), rows_(rows) {}

  // Reads the keys of `object` that have a row and have not been read yet, including those of
  // nested objects. `prefix` selects rows by the beginning of their names: "" or "sandbox."
  void Read(ObjectReader& object, std::string_view prefix, KeyValues& values) {
    for (const KeyRow& row : rows_) {
      if (!row.name.starts_with(prefix) || (in_profile_ && !row.rules.in_profiles)) continue;
      const std::string_view rest = row.name.substr(prefix.size());
      const std::string_view key = rest.substr(0, rest.find('.'));
      if (object.Knows(key)) continue;
      if (key == rest) {
        ReadKey(object, row, values);
      } else if (const Node* node = object.Object(key)) {
        ObjectReader inner(document_, *node);
        Read(inner, row.name.substr(0, prefix.size() + key.size() + 1), values);
        inner.Finish();
      }
    }
  }

  // Declares that all objects from now on belong to a profile.
  void set_in_profile() { in_profile_ = true; }

  // Reads the key of `row` from `object`.
  void ReadKey(ObjectReader& object, const KeyRow& row, KeyValues& values) {
    KeyValue value{.row = &row};
    if (!ReadPlain(object, value)) return;
    if (row.keeps_place) {
      const Node& node = *object.Any(row.key());
      value.origin = rules_.OriginOf(document_.tree().Pointer(node));
      value.offset = node.begin;
    }
    values.Put(std::move(value));
  }

 private:
  // False if the key is absent or has another type.
  bool ReadPlain(ObjectReader& object, KeyValue& value) {
    const std::string_view key = value.row->key();
    switch (value.row->type.kind) {
      case KeyKind::kSwitch: {
        const std::optional<bool> is_on = object.Bool(key);
        value.number = is_on == true ? 1 : 0;
        return is_on.has_value();
      }
      case KeyKind::kChoice:
        return ReadChoice(object, value);
      case KeyKind::kSize:
        return ReadSize(object, value);
      case KeyKind::kNumber:
        return ReadNumber(object, value);
      case KeyKind::kText: {
        const std::optional<std::string_view> text = object.String(key);
        if (text) CheckForm(*object.Any(key), value.row->type.form);
        value.text = text.value_or("");
        return text.has_value();
      }
      case KeyKind::kTexts:
        return ReadTexts(object, value);
    }
    return false;
  }

  bool ReadChoice(ObjectReader& object, KeyValue& value) {
    const std::span<const KeyChoice> choices = value.row->type.choices;
    const std::optional<uint8_t> number = object.OneOf(value.row->key(), choices);
    if (!number) return false;
    value.number = *number;
    value.text = std::ranges::find(choices, *number, &KeyChoice::value)->word;
    return true;
  }

  bool ReadSize(ObjectReader& object, KeyValue& value) {
    const auto text = object.String(value.row->key());
    if (!text) return false;
    const uint64_t size = ParseSize(*text);
    const std::string_view least = value.row->type.least_size;
    const Node& node = *object.Any(value.row->key());
    if (size == 0) {
      document_.Wrong(node, "must be a size such as \"64M\" or \"8G\"");
    } else if (size < ParseSize(least)) {
      document_.Wrong(node, "is too little", "give it " + std::string(least) + " or more");
    }
    value.number = static_cast<double>(size);  // exact: at most six digits times a power of 2
    return true;
  }

  bool ReadNumber(ObjectReader& object, KeyValue& value) {
    const auto number = object.Number(value.row->key());
    if (!number) return false;
    value.number = *number;
    const KeyType& type = value.row->type;
    const bool in_range = *number <= type.most && *number >= type.least;
    const bool is_right = type.whole ? in_range && *number == static_cast<uint32_t>(*number)
                                     : in_range && *number > type.least;
    if (is_right) return true;
    std::string what = type.whole ? "must be a whole number from " : "must be a number above ";
    what += std::to_string(type.least) + (type.whole ? " to " : " and up to ");
    document_.Wrong(*object.Any(value.row->key()), what + std::to_string(type.most));
    return true;
  }

  bool ReadTexts(ObjectReader& object, KeyValue& value) {
    const auto strings = object.Strings(value.row->key());
    if (!strings) return false;
    for (const Node* node : *strings) {
      CheckForm(*node, value.row->type.form);
      value.texts.push_back(node->content());
    }
    return true;
  }

  void CheckForm(const Node& node, TextForm form) {
    const std::string_view text = node.content();
    if (form == TextForm::kDirectoryName) {
      if (!text.empty() && text.find('/') == std::string_view::npos) return;
      return document_.Wrong(node, "must be the name of a directory, such as \"node_modules\"");
    }
    if (form == TextForm::kOwnPath) {
      PathRule rule;
      const Status parsed = ParsePathEntry(text, ListKind::kAllow, *file_.strings, &rule);
      const bool is_plain = parsed && rule.set == SetName::kNone && !rule.has_pattern;
      if (is_plain && rule.base != RuleBase::kRoot) return;
      return document_.Wrong(node, "must be a path that begins with / or ~/",
                             parsed || text.empty() ? "" : parsed.error().hint);
    }
    if (form == TextForm::kProxyUrl) return CheckProxyUrl(node);
    if (form == TextForm::kAny) return;
    if (form == TextForm::kVariable && text.find('=') != std::string_view::npos) {
      document_.Wrong(node, "must be the name of a variable, without \"=\"");
    }
    if (text.empty()) document_.Wrong(node, "is empty");
    if (node.has_nul) document_.Wrong(node, "contains NUL");
  }

  void CheckProxyUrl(const Node& node) {
    const Result<HostPort> proxy = ParseProxyUrl(node.content());
    if (!proxy) return document_.Wrong(node, proxy.error().what, proxy.error().hint);
    if (file_.of_project) document_.Wrong(node, kNotOfProject, "write it into the user's own");
  }

  PolicyFile& file_;
  RuleListReader& rules_;
  JsonDocument& document_;
  std::span<const KeyRow> rows_;
  bool in_profile_ = false;
};

// Reads one file, with one function per section; `at` is the JSON pointer of the enclosing object.
class Loader {
 public:
  Loader(PolicyFile& file, const PolicyText& source, std::span<const KeyRow> keys,
         std::vector<Error>& mistakes)
      : file_(file),
        document_(*file.tree, mistakes),
        rules_(file, *source.agent, source.quotable, document_),
        keys_(file, rules_, document_, keys) {}

  void ReadFile() {
    const Node& root = file_.tree->root();
    ObjectReader object(document_, root);
    object.String("$schema");  // for editors
    ReadVersion(object, root);
    if (const auto word = object.String("root"); word && *word != "git") {
      document_.Wrong(*object.Any("root"), "must be \"git\", not " + Quote(*word));
    } else {
      file_.root_is_git = word.has_value();
    }
    ReadSections(object, "", file_.sections);
    ReadProfiles(object);
    object.Finish();
  }

 private:
  void ReadVersion(ObjectReader& object, const Node& root) {
    const Node* version = object.Any("version");
    if (version == nullptr) {
      document_.Wrong(root, "has no \"version\"", "begin with \"version\": 1");
      return;
    }
    const bool is_number = version->kind == JsonTree::Kind::kNumber;
    if (is_number && version->content() == "1") return;
    const bool is_newer =
        is_number && version->content().find_first_not_of("0123456789") == std::string_view::npos;
    document_.Wrong(*version, is_newer ? "must be 1" : "must be the number 1",
                    is_newer ? "a newer policy needs a newer ringfence" : "write \"version\": 1");
  }

  void ReadSections(ObjectReader& object, std::string_view at, Sections& sections) {
    const std::string above = std::string(at) + "/";
    if (const Node* node = object.Object("tools")) {
      ObjectReader reader(document_, *node);
      sections.tools = rules_.ReadTools(reader, above + "tools");
      reader.Finish();
    }
    if (const Node* node = object.Object("read")) {
      ObjectReader reader(document_, *node);
      sections.read = rules_.ReadPaths(reader, above + "read");
      reader.Finish();
    }
    if (const Node* node = object.Object("write")) ReadWrite(*node, above + "write", sections);
    if (const Node* node = object.Object("network")) {
      ReadNetwork(*node, above + "network", sections);
    }
    if (const Node* node = object.Object("mcp")) ReadMcp(*node, above + "mcp", sections.mcp);
    if (const Node* node = object.Object("alerts")) ReadAlerts(*node, at.empty(), sections);
    keys_.Read(object, "", sections.keys);
  }

  void ReadWrite(const Node& node, const std::string& at, Sections& sections) {
    ObjectReader object(document_, node);
    sections.write = rules_.ReadPaths(object, at);
    keys_.Read(object, "write.", sections.keys);
    object.Finish();
  }

  void ReadNetwork(const Node& node, const std::string& at, Sections& sections) {
    ObjectReader object(document_, node);
    NetworkSection& section = sections.network.emplace(rules_.ReadNetwork(object, node, at));
    keys_.Read(object, "network.", sections.keys);
    section.unlisted = sections.keys.Get<Unlisted>("network.unlisted");
    object.Finish();
  }

  void ReadAlerts(const Node& node, bool needs_inbox, Sections& sections) {
    sections.has_alerts = true;
    ObjectReader object(document_, node);
    keys_.Read(object, "alerts.", sections.keys);
    if (needs_inbox && object.Any("inbox") == nullptr) {
      document_.Wrong(node, "has no \"inbox\"", "name the directory that alerts are written to");
    }
    if (const Node* fields = object.Object("fields")) {
      ReadAlertFields(*fields, sections.alert_fields);
    }
    object.Finish();
  }

  void ReadAlertFields(const Node& node, AlertFields& fields) {
    const JsonTree& tree = document_.tree();
    for (const JsonNode& member : tree.ChildrenOf(node)) {
      const std::string_view name = tree.KeyOf(member);
      if (Contains(kAlertMembers, name)) {
        document_.Wrong(member, "is a field that ringfence writes itself",
                        "give the constant another name");
      } else if (member.kind != JsonTree::Kind::kString) {
        document_.Wrong(member, "must be a string");
      }
      fields.emplace_back(name, member.content());
    }
  }

  std::vector<std::string_view> ReadPointers(ObjectReader& object, std::string_view key) {
    std::vector<std::string_view> pointers;
    const auto strings = object.Strings(key);
    if (!strings) return pointers;
    for (const Node* node : *strings) {
      if (!node->content().starts_with('/') || node->content().size() < 2) {
        document_.Wrong(*node, "must be a JSON pointer such as \"/path\"",
                        "\"/files/*/path\" means the path of each element of files");
      }
      pointers.push_back(node->content());
    }
    return pointers;
  }

  void ReadMcp(const Node& node, const std::string& at, std::vector<McpFields>& all) {
    const JsonTree& tree = *file_.tree;
    for (const JsonNode& member : tree.ChildrenOf(node)) {
      if (!tree.KeyOf(member).starts_with("mcp__") || !IsToolPattern(tree.KeyOf(member))) {
        document_.Wrong(member, "must be the name of an MCP tool: mcp__SERVER__TOOL");
      }
      ObjectReader object(document_, member);
      McpFields fields;
      fields.tool = tree.KeyOf(member);
      fields.read = ReadPointers(object, "read");
      fields.write = ReadPointers(object, "write");
      fields.place = rules_.PlaceOf(member, at);
      object.Finish();
      all.push_back(std::move(fields));
    }
  }

  void ReadProfiles(ObjectReader& parent) {
    const Node* node = parent.Object("profiles");
    if (node == nullptr) return;
    keys_.set_in_profile();
    const JsonTree& tree = *file_.tree;
    for (const JsonNode& member : tree.ChildrenOf(*node)) {
      if (tree.KeyOf(member).empty()) document_.Wrong(member, "needs a name");
      ObjectReader object(document_, member);
      Profile& profile = file_.profiles.emplace_back();
      profile.name = tree.KeyOf(member);
      if (const Node* when = object.Object("when")) ReadWhen(*when, profile.when.emplace());
      ReadSections(object, tree.Pointer(member), profile.sections);
      object.Finish();
    }
  }

  void ReadWhen(const Node& node, When& when) {
    ObjectReader object(document_, node);
    when.agent_type = object.String("agent_type");
    when.subagent = object.Bool("subagent");
    KeyValues mode;
    keys_.ReadKey(object, KeyNamed("client.permission_mode"), mode);
    when.permission_mode = mode.Get<std::string_view>("client.permission_mode");
    if (const auto root = object.String("root")) {
      PathRule rule;
      const Status parsed = ParsePathEntry(*root, ListKind::kAllow, *file_.strings, &rule);
      if (!parsed || rule.set != SetName::kNone || rule.base == RuleBase::kRoot) {
        document_.Wrong(*object.Any("root"), "must be a path that begins with / or ~/");
      } else {
        when.root = rule;
      }
    }
    if (node.first_child == JsonTree::kNone) {
      document_.Wrong(node, "is empty", "leave it out for a profile that only --profile chooses");
    }
    object.Finish();
  }

  PolicyFile& file_;
  JsonDocument document_;
  RuleListReader rules_;
  KeyReader keys_;
};

}  // namespace

std::unique_ptr<PolicyFile> LoadPolicy(PolicyText source, std::vector<Error>& mistakes,
                                       std::span<const KeyRow> keys) {
  auto file = std::make_unique<PolicyFile>();
  file->path = std::move(source.path);
  file->shown = std::move(source.shown);
  file->of_project = source.of_project;
  file->strings = std::make_unique<std::deque<std::string>>();
  file->origins = std::make_unique<std::deque<RuleOrigin>>();
  const size_t before = mistakes.size();
  Result<JsonTree> tree = JsonTree::ParseForPeople(std::move(source.text), file->shown, mistakes);
  if (!tree) {
    mistakes.push_back(tree.error());
    return nullptr;
  }
  file->tree = std::make_unique<JsonTree>(std::move(*tree));
  Loader(*file, source, keys, mistakes).ReadFile();
  if (mistakes.size() != before) return nullptr;
  return file;
}

PolicyText BuiltInPolicy(const Agent& agent) {
  constexpr const char* kText = R"({
  "version": 1,
  "read": { "allow": [".", "@claude-scratch"], "deny": ["@secrets"] },
  "write": { "allow": [".", "@claude-scratch"], "ask": ["@runs-later"], "deny": ["@secrets"] },
  "bash": { "unsandboxed": "deny" }
}
)";
  return {kText, "", std::string(kBuiltInPolicy), true, &agent};
}

}  // namespace ringfence
