#include "policy/load/trust.h"

#include <algorithm>

#include "base/joined.h"
#include "base/json_tree.h"
#include "base/text.h"
#include "policy/load/object_reader.h"

namespace ringfence {
namespace {

void ReadProject(JsonDocument& document, const JsonTree::Node& node,
                 std::vector<TrustedProject>& projects) {
  ObjectReader object(document, node);
  TrustedProject project;
  project.root = object.String("root").value_or("");
  project.sha256 = object.String("sha256").value_or("");
  if (!project.root.starts_with('/')) document.Wrong(node, "needs an absolute \"root\"");
  if (!IsLowerHex(project.sha256, 64)) document.Wrong(node, "needs a \"sha256\" of 64 digits");
  object.Finish();
  projects.push_back(std::move(project));
}

}  // namespace

Result<std::vector<TrustedProject>> ParseTrustStore(std::string text, std::string shown) {
  Result<JsonTree> tree = JsonTree::Parse(std::move(text), std::move(shown), false);
  if (!tree) return tree.error();
  std::vector<Error> mistakes;
  std::vector<TrustedProject> projects;
  JsonDocument document(*tree, mistakes);
  ObjectReader object(document, tree->root());
  if (object.Number("version") != 1) document.Wrong(tree->root(), "needs \"version\": 1");
  const JsonTree::Node* list = object.Any("projects");
  if (list == nullptr || list->kind != JsonTree::Kind::kArray) {
    document.Wrong(list == nullptr ? tree->root() : *list, "needs an array \"projects\"");
  } else {
    for (const JsonNode& item : tree->ChildrenOf(*list)) {
      ReadProject(document, item, projects);
    }
  }
  object.Finish();
  if (!mistakes.empty()) return mistakes.front();
  return projects;
}

std::string RenderTrustStore(const std::vector<TrustedProject>& projects) {
  const std::string all = Joined(projects, ",\n", [](const TrustedProject& project) {
    return "    { \"root\": " + JsonString(project.root) +
           ", \"sha256\": " + JsonString(project.sha256) + " }";
  });
  return "{\n  \"version\": 1,\n  \"projects\": [" + (all.empty() ? "" : "\n" + all + "\n  ") +
         "]\n}\n";
}

bool IsTrusted(const std::vector<TrustedProject>& projects, std::string_view root,
               std::string_view sha256) {
  return std::ranges::any_of(projects, [&](const TrustedProject& project) {
    return project.root == root && project.sha256 == sha256;
  });
}

std::string StateFolder(const std::string& home) { return home + "/.local/state/ringfence"; }
std::string TrustStorePath(const std::string& home) { return StateFolder(home) + "/trust.json"; }

}  // namespace ringfence
