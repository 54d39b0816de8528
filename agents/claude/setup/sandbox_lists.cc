#include "agents/claude/setup/sandbox_lists.h"

#include <algorithm>

#include "agents/claude/setup/client_sandbox.h"
#include "base/contains.h"
#include "base/json_tree.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/load/layers.h"

namespace ringfence {
namespace {

bool Registers(const SettingsFile& file) {
  return std::ranges::any_of(file.settings.hooks,
                             [](const HookEntry& entry) { return Runs(entry, "/ringfence-hook"); });
}

bool HasEntry(const SettingsFile& file, const SandboxEntry& entry) {
  if (file.layer != entry.layer || !file.text) return false;
  const Result<JsonTree> tree =
      JsonTree::Parse(std::string(WithoutByteOrderMark(*file.text)), file.settings.name, false);
  const JsonTree::Node* list = tree ? NodeAt(*tree, entry.pointer) : nullptr;
  if (list == nullptr || list->kind != JsonTree::Kind::kArray) return false;
  for (JsonTree::Index i = list->first_child; i != JsonTree::kNone; i = tree->node(i).next) {
    const JsonTree::Node& node = tree->node(i);
    if (node.kind == JsonTree::Kind::kString && node.content() == entry.text) return true;
  }
  return false;
}

}  // namespace

std::vector<SandboxEntry> SandboxEntriesFor(const Context& policies) {
  std::vector<SandboxEntry> entries;
  const Result<Policy> policy = policies.PolicyFor();
  if (!policy || policy->wrap_bash) return entries;
  for (const SettingsLayer layer : kSettingsLayers) {
    for (ClientLimits::Texts& list : SandboxFor(*policy, policies.places, layer, {}).lists) {
      if (list.pointer != kAllowWrite && list.pointer != kAllowedDomains) continue;
      for (std::string& text : list.texts)
        entries.push_back({layer, list.pointer, std::move(text)});
    }
  }
  return entries;
}

std::vector<SandboxEntry> EntriesBeyond(const std::vector<SandboxEntry>& more,
                                        const std::vector<SandboxEntry>& less,
                                        const std::vector<SettingsFile>& files) {
  std::vector<SandboxEntry> beyond;
  for (const SandboxEntry& entry : more) {
    const auto counts = [&](const SettingsFile& file) {
      return file.layer == entry.layer && Registers(file);
    };
    const bool is_common = Contains(less, entry);
    if (!is_common && std::ranges::any_of(files, counts)) beyond.push_back(entry);
  }
  return beyond;
}

bool HoldsAny(const std::vector<SettingsFile>& files, const std::vector<SandboxEntry>& entries) {
  return std::ranges::any_of(entries, [&](const SandboxEntry& entry) {
    return std::ranges::any_of(files,
                               [&](const SettingsFile& file) { return HasEntry(file, entry); });
  });
}

}  // namespace ringfence
