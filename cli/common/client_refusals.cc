#include "cli/common/client_refusals.h"

#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agents/claude/agent.h"
#include "agents/claude/setup/client_sandbox.h"
#include "agents/claude/setup/settings_editor.h"
#include "base/contains.h"
#include "base/json.h"
#include "base/json_pointer.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/common/file_place.h"
#include "cli/common/init_command.h"
#include "cli/common/state.h"
#include "policy/evaluate/fix.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

constexpr std::string_view kReaders[] = {"Read", "Glob", "Grep"};
constexpr std::string_view kWriters[] = {"Write", "Edit", "NotebookEdit"};

std::vector<std::string> TextsAt(const SettingsFile& file, const char* pointer) {
  std::vector<std::string> texts;
  if (!file.text) return texts;
  const OrderedJson json = OrderedJson::parse(WithoutByteOrderMark(*file.text), nullptr, false);
  const OrderedJson::json_pointer place(pointer);
  if (!json.is_object() || !json.contains(place) || !json.at(place).is_array()) return texts;
  for (const OrderedJson& element : json.at(place)) {
    if (element.is_string()) texts.push_back(element.get<std::string>());
  }
  return texts;
}

// Resolves "~/x" and paths relative to the directory in which the client starts.
Path Located(const std::string& text, const Registration& where) {
  if (text.starts_with('/')) return Path::Clean(text);
  if (text == "~" || text.starts_with("~/")) return Path::Clean(where.home + text.substr(1));
  return Path::Clean(where.project_dir + "/" + text);
}

// Converts a pattern of the client. As in .gitignore, a pattern without a slash, except at the end,
// matches at any depth.
std::string AnyDepth(std::string pattern) {
  if (pattern.ends_with('/')) pattern.pop_back();
  return pattern.find('/') == std::string::npos ? "**/" + pattern : pattern;
}

Places PlacesOf(const Registration& where) {
  Places places{.agent = &ClaudeCode()};
  places.root = places.root_real = Path::Clean(where.project_dir);
  places.homes = {Path::Clean(where.home)};
  return places;
}

}  // namespace

Result<ClientRefusals> ClientRefusals::Read(const Registration& where) {
  const Result<std::vector<SettingsFile>> files = ReadSettingsFiles(where);
  if (!files) return files.error();
  const auto records = ReadRecords(where.home);
  if (!records) return records.error();
  return ClientRefusals(*files, where, records->value);
}

ClientRefusals::ClientRefusals(const std::vector<SettingsFile>& files, const Registration& where,
                               const std::vector<SettingsRecord>& records)
    : where_(where), working_{Path::Clean(where.project_dir)} {
  for (const SettingsFile& file : files) {
    const bool counts = file.settings.drops.empty() || file.layer == SettingsLayer::kManaged;
    if (!file.text || !counts) continue;
    Add(file, RecordOf(records, file.path));
  }
}

void ClientRefusals::Add(const SettingsFile& file, const SettingsRecord& record) {
  Source source{.layer = file.layer,
                .file = file.settings.name,
                .init = InitCommand(file, where_),
                .fences = {},
                .our_fences = {},
                .deny = {}};
  for (const ClientFenceKey& key : kClientFence) {
    if (file.settings.Flag(key.pointer) != true) continue;
    source.fences.emplace_back(key.pointer);
    const auto is_key = [&](const SettingsRecord::Value& value) {
      return value.pointer == key.pointer;
    };
    if (std::ranges::any_of(record.values, is_key)) source.our_fences.emplace_back(key.pointer);
  }
  const auto ours = std::ranges::find(record.lists, kDenyRules, &SettingsRecord::Texts::pointer);
  for (const std::string& text : TextsAt(file, std::string(kDenyRules).c_str())) {
    Rule rule{
        .text = text, .tool = text.substr(0, text.find('(')), .argument = "", .is_ours = false};
    if (rule.tool.size() < text.size() && text.ends_with(')')) {
      rule.argument = text.substr(rule.tool.size() + 1, text.size() - rule.tool.size() - 2);
    }
    rule.is_ours = ours != record.lists.end() && Contains(ours->texts, text);
    source.deny.push_back(std::move(rule));
  }
  for (const std::string& folder : TextsAt(file, "/permissions/additionalDirectories")) {
    working_.push_back(Located(folder, where_));
  }
  sources_.push_back(std::move(source));
}

std::optional<ClientRefusal> ClientRefusals::Fence(Access access) const {
  for (const ClientFenceKey& key : kClientFence) {
    if (key.access != access) continue;
    for (const Source& source : sources_) {
      if (!Contains(source.fences, key.pointer)) continue;
      return ClientRefusal{
          DottedKey(key.pointer) + " is true", source.file,
          (Contains(source.our_fences, key.pointer) ? "run: " + source.init
                                                    : "take it out of " + source.file) +
              ", and start the client again"};
    }
  }
  return {};
}

std::optional<ClientRefusal> ClientRefusals::OfTool(std::string_view tool) const {
  for (const Source& source : sources_) {
    for (const Rule& rule : source.deny) {
      const bool is_server = IsMcpTool(rule.tool) && tool.starts_with(rule.tool + "__");
      const bool is_all = rule.argument.empty() || rule.argument == "*";
      if (!is_all || (!is_server && !MatchName(rule.tool, tool))) continue;
      return ClientRefusal{"permissions.deny has " + Quote(rule.text, 80), source.file,
                           "take it out of " + source.file};
    }
  }
  return {};
}

bool ClientRefusals::Matches(const Source& source, const Rule& rule, const Path& path) const {
  std::string_view text = rule.argument;
  Path base = Path::Clean(where_.project_dir);
  if (text.starts_with("//")) {
    base = Path();
    text.remove_prefix(2);
  } else if (text.starts_with("~/")) {
    base = Path::Clean(where_.home);
    text.remove_prefix(2);
  } else if (text.starts_with('/')) {
    text.remove_prefix(1);
    if (source.layer == SettingsLayer::kUser) {
      base = Path::Clean(SettingsPath(source.layer, where_)).Parent();
    }
  } else {
    if (text.starts_with("./")) text.remove_prefix(2);
    const std::optional<std::string_view> below = path.Below(base);
    return below && MatchPattern(AnyDepth(std::string(text)), *below, {.covers = true});
  }
  if (text.ends_with('/')) text.remove_suffix(1);
  const std::optional<std::string_view> below = path.Below(base);
  return below && MatchPattern(text, *below, {.covers = true});
}

std::optional<ClientRefusal> ClientRefusals::OfPath(const Path& path, Access access) const {
  // A rule for Read also refuses writes: the client does not write a file that it may not read.
  for (const Source& source : sources_) {
    for (const Rule& rule : source.deny) {
      const bool is_meant =
          rule.tool == "Read" || (access == Access::kWrite && Contains(kWriters, rule.tool));
      if (!is_meant || rule.argument.empty() || !Matches(source, rule, path)) continue;
      return ClientRefusal{"permissions.deny has " + Quote(rule.text, 80), source.file,
                           rule.is_ours ? "run: " + source.init : "take it out of " + source.file};
    }
  }
  const auto is_inside = [&](const Path& folder) { return path.IsInside(folder); };
  if (std::ranges::any_of(working_, is_inside)) return {};
  auto refusal = Fence(access);
  if (!refusal) return {};
  struct stat facts {};
  const bool is_folder = ::stat(path.text().c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
  const Path folder = is_folder ? path : path.Parent();
  // additionalDirectories also lets commands write there, which is too much for the home or /etc.
  if (IsSharedFolder(folder, PlacesOf(where_))) return refusal;
  refusal->fix += "; or, for running sessions too, add " + Quote(folder.text()) +
                  " to permissions.additionalDirectories in " + refusal->file;
  return refusal;
}

std::optional<std::string> ClientRefusals::NoteOn(const Event& event) const {
  if (!ClaudeCode().tools.RunsCommand(event.tool_name)) return {};
  const auto fence = Fence(Access::kRead);
  if (!fence) return {};
  return "the client asks about a command that it cannot analyze, and refuses one that reads "
         "outside "
         "the project: " +
         fence->text();
}

std::optional<ClientRefusal> ClientRefusals::OfCall(const Event& event, const Trace& trace) const {
  if (auto refusal = OfTool(event.tool_name)) return refusal;
  if (!Contains(kReaders, event.tool_name) && !Contains(kWriters, event.tool_name)) return {};
  for (const PathTrace& path : trace.paths) {
    for (const PathTrace::Reading& reading : path.readings) {
      // The client knows one home; the hook evaluates every home that "~" can mean.
      const bool is_other_home = path.text.starts_with('~') &&
                                 !Path::Clean(reading.start).IsInside(Path::Clean(where_.home));
      if (is_other_home) continue;
      for (const Path& name : {Path::Clean(reading.start), reading.end}) {
        if (auto refusal = OfPath(name, path.access)) return refusal;
      }
    }
  }
  return {};
}

std::optional<ClientRefusal> ClientRefusals::OfTarget(const GrantTarget& grant) const {
  if (grant.kind == TargetKind::kTool) return OfTool(grant.text);
  if (grant.kind == TargetKind::kHost || grant.is_pattern) return {};
  const Path path = Path::Clean(grant.path);
  auto refusal = OfPath(path, Access::kRead);
  if (!refusal && grant.also_write) refusal = OfPath(path, Access::kWrite);
  return refusal;
}

}  // namespace ringfence
