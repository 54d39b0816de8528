#include "policy/load/trust.h"

#include <algorithm>

#include "base/joined.h"
#include "base/json_tree.h"
#include "base/text.h"
#include "policy/load/object_reader.h"

namespace ringfence {
namespace {

TrustedProject ReadProject(JsonDocument& document, const JsonNode& node) {
  ObjectReader object(document, node);
  TrustedProject project;
  project.root = object.String("root").value_or("");
  project.sha256 = object.String("sha256").value_or("");
  if (!project.root.starts_with('/')) document.Wrong(node, "needs an absolute \"root\"");
  if (!IsLowerHex(project.sha256, 64)) document.Wrong(node, "needs a \"sha256\" of 64 digits");
  object.Finish();
  return project;
}

}  // namespace

Result<std::vector<TrustedProject>> ParseTrustStore(std::string text, std::string shown) {
  std::vector<TrustedProject> projects;
  const auto add = [&](JsonDocument& document, const JsonNode& project) {
    projects.push_back(ReadProject(document, project));
  };
  const Status status = ReadOwnFile(std::move(text), std::move(shown), "projects", add);
  if (!status) return status.error();
  return projects;
}

std::string RenderTrustStore(const std::vector<TrustedProject>& projects) {
  return OwnFileText("projects", Joined(projects, ",\n", [](const TrustedProject& project) {
                       return "    { \"root\": " + JsonString(project.root) +
                              ", \"sha256\": " + JsonString(project.sha256) + " }";
                     }));
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
