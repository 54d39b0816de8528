#include "policy/load/load.h"

#include <algorithm>
#include <optional>

#include "base/contains.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/load/key_reader.h"
#include "policy/load/object_reader.h"
#include "policy/load/rule_lists.h"
#include "policy/rules/path_entry.h"

namespace ringfence {
namespace {

using Node = JsonTree::Node;

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
    NetworkSection& section = sections.network.emplace();
    section.place = rules_.PlaceOf(node, at);
    section.allow = rules_.ReadHosts(object, "allow", at);
    section.deny = rules_.ReadHosts(object, "deny", at);
    section.inspect = rules_.ReadHosts(object, "inspect", at);
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

const char* BuiltInPolicyText() {
  return R"({
  "version": 1,
  "read": { "allow": [".", "@claude-scratch"], "deny": ["@secrets"] },
  "write": { "allow": [".", "@claude-scratch"], "ask": ["@runs-later"], "deny": ["@secrets"] },
  "bash": { "unsandboxed": "deny" }
}
)";
}

}  // namespace ringfence
