#include <algorithm>

#include "agents/claude/settings/keys.h"
#include "agents/claude/settings/settings.h"
#include "base/joined.h"
#include "base/text.h"
#include "policy/load/object_reader.h"
#include "policy/load/trust.h"

namespace ringfence {
namespace {

std::vector<std::string> OwnTexts(const std::optional<std::vector<const JsonNode*>>& nodes) {
  std::vector<std::string> texts;
  if (!nodes) return texts;
  for (const JsonNode* node : *nodes) texts.emplace_back(node->content());
  return texts;
}

void ReadApprovedVariables(JsonDocument& document, const JsonNode& lists, ObjectReader& reader,
                           ApprovedFile& file) {
  const JsonTree& tree = document.tree();
  for (const JsonNode& variable : tree.ChildrenOf(lists)) {
    const std::string_view pointer = tree.KeyOf(variable);
    if (!pointer.starts_with(kVariables) || !IsCodeVariable(pointer.substr(kVariables.size()))) {
      continue;
    }
    if (const auto texts = reader.Strings(pointer)) {
      file.lists.push_back({std::string(pointer), OwnTexts(texts)});
    }
  }
}

ApprovedFile ReadApprovedFile(JsonDocument& document, const JsonNode& node) {
  ObjectReader object(document, node);
  ApprovedFile file;
  file.path = object.String("path").value_or("");
  if (!file.path.starts_with('/')) document.Wrong(node, "needs an absolute \"path\"");
  file.registration = OwnTexts(object.Strings("registration"));
  file.hooks = OwnTexts(object.Strings("hooks"));
  if (const JsonNode* flags = object.Object("flags")) {
    ObjectReader reader(document, *flags);
    for (const FlagKey& key : SettingFlags()) {
      if (const auto value = reader.Bool(key.pointer)) {
        file.flags.push_back({std::string(key.pointer), *value});
      }
    }
    reader.Finish();
  }
  if (const JsonNode* lists = object.Object("lists")) {
    ObjectReader reader(document, *lists);
    for (const TextsKey& key : SettingLists()) {
      if (const auto texts = reader.Strings(key.pointer)) {
        file.lists.push_back({std::string(key.pointer), OwnTexts(texts)});
      }
    }
    ReadApprovedVariables(document, *lists, reader, file);
    reader.Finish();
  }
  object.Finish();
  return file;
}

std::string TextArray(const std::vector<std::string>& texts) {
  return "[" + Joined(texts, ", ", JsonString) + "]";
}

std::string RenderFile(const ApprovedFile& file) {
  std::string out = "    {\n      \"path\": " + JsonString(file.path);
  out += ",\n      \"registration\": " + TextArray(file.registration);
  out += ",\n      \"hooks\": " + TextArray(file.hooks);
  out += ",\n      \"flags\": {" + Joined(file.flags, ", ", [](const SettingFlag& flag) {
           return JsonString(flag.pointer) + (flag.value ? ": true" : ": false");
         });
  out += "},\n      \"lists\": {" + Joined(file.lists, ", ", [](const SettingTexts& list) {
           return JsonString(list.pointer) + ": " + TextArray(list.texts);
         });
  return out + "}\n    }";
}

}  // namespace

const ApprovedFile* Approvals::Find(std::string_view path) const {
  const auto found = std::ranges::find(files, path, &ApprovedFile::path);
  return found == files.end() ? nullptr : &*found;
}

ApprovedFile ApprovedAsIs(const ClientSettings& settings, std::string_view our_program) {
  ApprovedFile file;
  file.path = settings.path;
  for (const HookEntry& entry : settings.hooks) {
    (Runs(entry, our_program) ? file.registration : file.hooks).push_back(entry.digest);
  }
  file.flags = settings.flags;
  file.lists = settings.lists;
  return file;
}

Result<Approvals> ParseApprovals(std::string text, std::string shown) {
  Approvals approvals;
  const auto add = [&](JsonDocument& document, const JsonNode& file) {
    approvals.files.push_back(ReadApprovedFile(document, file));
  };
  const Status status = ReadOwnFile(std::move(text), std::move(shown), "files", add);
  if (!status) return status.error();
  return approvals;
}

std::string RenderApprovals(const Approvals& approvals) {
  return OwnFileText("files", Joined(approvals.files, ",\n", RenderFile));
}

std::string ApprovalsPath(const std::string& home) { return StateFolder(home) + "/approvals.json"; }

}  // namespace ringfence
