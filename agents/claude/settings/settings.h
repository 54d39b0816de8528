// The parts of a client settings file that concern ringfence: its hooks, its sandbox, and the
// mistakes for which the client (measured on 2.1.330) drops the whole file. Plain values; nothing
// here accesses the disk.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "base/path.h"
#include "base/result.h"

namespace ringfence {

// One entry below "hooks".
struct HookEntry {
  std::string event;
  std::string matcher;  // of its group; "" if absent
  std::string pointer;  // "/hooks/PreToolUse/0/hooks/0"
  std::string place;    // "settings.json:7:12"
  std::string digest;   // of event, matcher and the entry without insignificant white space
  std::string type;     // "command", ...
  std::string command;
  bool is_exec_form = false;  // has "args": started without a shell
  std::vector<std::string> args;
  bool blocks_on_failure = false;
  bool is_async = false;          // its answer comes too late
  bool is_conditional = false;    // "if" or "once"
  std::optional<double> timeout;  // seconds; the client's default is 600

  // True if the entry applies to every tool call, so that no call bypasses it.
  bool is_for_everything() const;
  bool operator==(const HookEntry&) const = default;
};

// True if `entry` starts `program` (an absolute path), or any program of that name: an older
// registration of ringfence may name another directory.
bool Runs(const HookEntry& entry, std::string_view program);

// A setting that makes the client's confinement stronger or weaker, by its JSON pointer.
struct SettingFlag {
  std::string pointer;
  bool value = false;

  bool operator==(const SettingFlag&) const = default;
};
struct SettingTexts {
  std::string pointer;
  std::vector<std::string> texts;

  bool operator==(const SettingTexts&) const = default;
};

// The client's own deny rules, such as "Read(~/.ssh)".
inline constexpr std::string_view kDenyRules = "/permissions/deny";

// Ringfence's own plugin, and the setting that enables plugins.
inline constexpr std::string_view kOwnPlugin = "ringfence@ringfence";
inline constexpr std::string_view kPluginSwitches = "/enabledPlugins";

// The directory of the marketplace that is installed with `program`.
Path MarketplaceOf(const Path& program);

struct ClientSettings {
  std::string path;            // absolute; approvals are stored by it
  std::string name;            // the file's name in messages
  std::vector<Error> drops;    // each makes the client drop the whole file
  std::vector<Error> ignored;  // each makes the client ignore one hook entry
  std::vector<HookEntry> hooks;
  bool disables_hooks = false;      // disableAllHooks
  std::string disables_hooks_at;    // "settings.json:7:12"
  std::string permission_mode;      // permissions.defaultMode
  std::optional<bool> plugin;       // ringfence's own plugin is enabled or disabled
  std::vector<SettingFlag> flags;   // those of SettingFlags() that the file sets
  std::vector<SettingTexts> lists;  // those of SettingLists() that the file sets

  std::optional<bool> Flag(std::string_view pointer) const;
  const std::vector<std::string>* Texts(std::string_view pointer) const;  // nullptr if not set
};

// True if commands in the client's sandbox may write anywhere in `folder`, wherever the client
// starts.
bool OpensWrites(const ClientSettings& settings, const Path& folder);

// `text` may begin with a byte order mark, as the client permits. Invalid JSON and duplicate keys
// are reasons to drop the file, because ringfence could not evaluate it.
ClientSettings ParseClientSettings(std::string text, std::string name, std::string path);
ClientSettings ReadClientSettings(const JsonTree& tree, std::string path);

// The settings files that the user accepted, as they were when `ringfence init` ran. Stored in
// ~/.local/state/ringfence/approvals.json.
struct ApprovedFile {
  std::string path;
  std::vector<std::string> registration;  // digests of ringfence's own hook entries
  std::vector<std::string> hooks;         // digests of all other entries
  std::vector<SettingFlag> flags;
  std::vector<SettingTexts> lists;

  bool operator==(const ApprovedFile&) const = default;
};
struct Approvals {
  std::vector<ApprovedFile> files;

  const ApprovedFile* Find(std::string_view path) const;
  bool operator==(const Approvals&) const = default;
};

ApprovedFile ApprovedAsIs(const ClientSettings& settings, std::string_view our_program);
Result<Approvals> ParseApprovals(std::string text, std::string shown);
std::string RenderApprovals(const Approvals& approvals);
std::string ApprovalsPath(const std::string& home);

// Returns one sentence for each way in which this file, in its present state, drops or weakens the
// registration or the sandbox. A removed file is `ClientSettings{.path = ...}`.
std::vector<std::string> Weakens(const ClientSettings& settings, const Approvals& approvals,
                                 std::string_view our_program);

}  // namespace ringfence
