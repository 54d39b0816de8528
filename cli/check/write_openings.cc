#include "cli/check/write_openings.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/json_tree.h"
#include "base/text.h"
#include "policy/path.h"
#include "policy/pattern.h"

namespace ringfence {
namespace {

using Node = JsonTree::Node;

constexpr const char* kFolders = "permissions.additionalDirectories";
constexpr const char* kRules = "permissions.allow";

// "//x" is absolute, "~/x" below the home, "/x" below the folder of the settings file.
std::string RuleText(std::string_view argument, const SettingsFile& file) {
  if (argument.starts_with("//")) return std::string(argument.substr(1));
  if (!argument.starts_with('/')) return std::string(argument);
  Path base = Path::Clean(file.path).Parent();
  if (file.layer != SettingsLayer::kUser) base = base.Parent();
  return base.text() + std::string(argument);
}

// The path of a rule that permits writing.
std::optional<std::string> WriteRule(std::string_view rule, const SettingsFile& file) {
  constexpr std::string_view kEdit = "Edit(";
  if (!rule.starts_with(kEdit) || !rule.ends_with(')')) return {};
  rule.remove_prefix(kEdit.size());
  rule.remove_suffix(1);
  return RuleText(rule, file);
}

class Finder {
 public:
  explicit Finder(const OpeningQuestion& question) : question_(question) {}

  Findings Run() {
    const auto confines = [](const SettingsFile& file) {
      return MayRunHooks(file) && file.settings.Flag("/sandbox/enabled") == true;
    };
    if (std::ranges::none_of(question_.files, confines)) return {};
    for (const SettingsFile& file : question_.files) {
      if (file.text && MayRunHooks(file)) LookAt(file);
    }
    return std::move(findings_);
  }

 private:
  void LookAt(const SettingsFile& file) {
    const std::string text(WithoutByteOrderMark(*file.text));
    const Result<JsonTree> tree = JsonTree::Parse(text, file.settings.name, false);
    if (!tree) return;  // said by others
    Each(*tree, "/permissions/additionalDirectories", [&](const Node& node) {
      Judge(std::string(node.content()), Has(kFolders, node),
            PlaceText(tree->name(), text, node.begin));
    });
    Each(*tree, "/permissions/allow", [&](const Node& node) {
      const std::optional<std::string> path = WriteRule(node.content(), file);
      if (path) Judge(*path, Has(kRules, node), PlaceText(tree->name(), text, node.begin));
    });
  }

  static std::string Has(const char* key, const Node& node) {
    return std::string(key) + " has " + Quote(node.content(), 80);
  }

  template <typename Take>
  static void Each(const JsonTree& tree, std::string_view pointer, Take take) {
    const Node* list = NodeAt(tree, pointer);
    if (list == nullptr || list->kind != JsonTree::Kind::kArray) return;
    for (JsonTree::Index i = list->first_child; i != JsonTree::kNone; i = tree.node(i).next) {
      if (tree.node(i).kind == JsonTree::Kind::kString) take(tree.node(i));
    }
  }

  // The folder above the first name with a pattern in it.
  Path FolderOf(const std::string& text) const {
    std::string path = text;
    if (!path.starts_with('/')) {
      const bool is_of_home = path == "~" || path.starts_with("~/");
      path =
          is_of_home ? question_.where.home + path.substr(1) : question_.where.project + "/" + path;
    }
    std::string folder;
    std::string_view rest = path;
    for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
      if (HasPattern(name)) break;
      folder.append("/").append(name);
    }
    return Path::Clean(folder.empty() ? "/" : folder);
  }

  void Judge(const std::string& text, const std::string& has, const std::string& place) {
    const Path folder = FolderOf(text);
    const auto holds = [&](const std::string& permitted) {
      return folder.IsInside(Path::Clean(permitted));
    };
    if (holds(question_.where.project) || std::ranges::any_of(question_.permitted, holds)) return;
    Add(findings_, Severity::kWarning, "sandbox-opened",
        {Error::Kind::kInvalidConfig, place,
         "commands in the client's sandbox may also write " +
             Quote(ShownPath(folder.text(), question_.where), 80) +
             ", which the policy does not permit: " + has,
         "remove that entry if commands should not write there"});
  }

  const OpeningQuestion& question_;
  Findings findings_;
};

}  // namespace

Findings FindWriteOpenings(const OpeningQuestion& question) { return Finder(question).Run(); }

}  // namespace ringfence
