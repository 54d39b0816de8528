#include "cli/setup/repository_writes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agents/claude/setup/client_sandbox.h"
#include "base/add_once.h"
#include "base/json_edit.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/file_place.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

constexpr const char* kDenyWrite = "/sandbox/filesystem/denyWrite";

// Names that a session at the top of the repository could not write either: the client denies them
// in the directory in which it starts. It denies .git/hooks, .git/config, .mcp.json and .claude in
// every directory that is opened. The policy in .ringfence may be trusted.
constexpr const char* kDenied[] = {".vscode", ".idea", ".ringfence"};

std::vector<std::string>& TextsOf(ClientLimits& limits, const std::string& pointer) {
  const auto found = std::ranges::find(limits.lists, pointer, &ClientLimits::Texts::pointer);
  if (found != limits.lists.end()) return found->texts;
  return limits.lists.emplace_back(ClientLimits::Texts{pointer, {}}).texts;
}

bool MayBeChanged(const RepositoryQuestion& question) {
  const SettingsFile& local = question.local;
  const auto runs_hook = [&](const HookEntry& entry) { return Runs(entry, question.program); };
  const bool is_registered = std::ranges::any_of(local.settings.hooks, runs_hook);
  const Result<std::string> target = FollowedPath(local.path);
  return !is_registered && local.settings.drops.empty() && target && *target == local.path;
}

}  // namespace

UserReply AskForRepository(const Path& repository, const std::string& policy, bool is_for_all) {
  Console().Line("This directory is part of the repository " + Quote(repository.text()) +
                 ", and the rest of it is outside the project. \"root\": \"git\" in " +
                 Printable(policy) + " makes the whole repository the project" +
                 (is_for_all ? ", here and in your other projects." : "."));
  return Terminal().Ask("Let the agent work on the whole repository?");
}

Result<std::string> WithRepositoryAsRoot(const std::string& text, const std::string& shown) {
  Result<JsonEdit> edit = JsonEdit::Open(text, shown, true);
  if (!edit) return edit.error();
  if (const JsonEdit::Node* root = edit->At("/root")) {
    edit->Replace(*root, "git");
  } else {
    edit->AddMember(edit->root(), "root", "git");
  }
  return edit->text();
}

Result<SettingsEditor> OpenSettings(const std::optional<std::string>& before,
                                    SettingsRecord record) {
  const bool is_blank = !before || IsBlank(*before);
  if (record.program.empty()) {
    record.is_new = !before;
    record.folders = MissingFolders(record.path);
    if (before && is_blank) record.blank = before;
  }
  return SettingsEditor::Open(is_blank ? "{}\n" : *before, record);
}

RepositoryWrites RepositoryWritesFor(const Places& places) {
  const std::string& root = places.root_real.text();
  // The client reads "*" in a path as a pattern.
  if (StartOf(places) == places.root || HasPattern(root)) return {};
  RepositoryWrites writes{{root}, {}};
  for (const char* name : kDenied) writes.deny.push_back(root + "/" + name);
  return writes;
}

void AddTo(ClientLimits& limits, const RepositoryWrites& writes) {
  const auto add = [&](const char* pointer, const std::vector<std::string>& more) {
    if (more.empty()) return;
    std::vector<std::string>& texts = TextsOf(limits, pointer);
    for (const std::string& text : more) {
      AddOnce(texts, text);
    }
  };
  add(kAllowWrite, writes.allow);
  add(kDenyWrite, writes.deny);
}

Result<std::optional<RepositoryChange>> PlanRepositoryWrites(const RepositoryQuestion& question) {
  const bool is_first = question.record.program.empty();
  const bool is_wanted = !question.writes.allow.empty();
  if ((!is_wanted && is_first) || !MayBeChanged(question)) return std::optional<RepositoryChange>();
  RepositoryChange change{question.local.path, question.local.text, "", question.record, is_wanted};
  Result<SettingsEditor> editor = OpenSettings(change.before, change.record);
  if (!editor) return editor.error();
  editor->SyncTexts(kAllowWrite, question.writes.allow);
  editor->SyncTexts(kDenyWrite, question.writes.deny);
  change.after = editor->text();
  change.record = editor->record();
  change.record.program = question.program;
  change.record.serves = question.registration;
  if (change.after == change.before && change.record == question.record) {
    return std::optional<RepositoryChange>();
  }
  return std::optional<RepositoryChange>(std::move(change));
}

}  // namespace ringfence
