#include "agents/claude/setup/derived_settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agents/claude/event_reader.h"
#include "agents/claude/settings/settings.h"
#include "agents/claude/setup/client_rules.h"
#include "agents/claude/setup/client_sandbox.h"
#include "agents/claude/setup/settings_editor.h"
#include "agents/claude/setup/settings_files.h"
#include "base/add_once.h"
#include "base/contains.h"
#include "base/json_pointer.h"
#include "base/text.h"
#include "policy/evaluate/evaluate_tool.h"

namespace ringfence {
namespace {

using Pointer = OrderedJson::json_pointer;

void PutLimits(OrderedJson& json, const ClientLimits& limits) {
  for (const ClientLimits::Flag& flag : limits.flags) json[Pointer(flag.pointer)] = flag.value;
  for (const ClientLimits::Texts& list : limits.lists) {
    if (!list.texts.empty()) json[Pointer(list.pointer)] = list.texts;
  }
}

void PutTexts(OrderedJson& json, const char* key, const std::vector<std::string>& texts) {
  if (!texts.empty()) json[key] = texts;
}

// Returns the hooks as `ringfence init` writes them.
OrderedJson HooksOf(const HookCommand& command) {
  Result<SettingsEditor> editor = SettingsEditor::Open("{}", {});
  if (!editor) return {};
  editor->Register(command);
  return OrderedJson::parse(editor->text())["hooks"];
}

// Returns the policy's mode. It is never "manual", the client's newer word for "default", which the
// SDK does not know.
std::string PermissionModeOf(const Policy& policy) { return std::string(policy.permission_mode); }

bool IsBashPermitted(const Policy& policy) {
  return EvaluateTool("Bash", policy).verdict == Verdict::kPermit;
}

class Deriver {
 public:
  explicit Deriver(const SettingsQuestion& question)
      : question_(question),
        policy_(question.policy),
        tools_(ToolNamesFor(question.policy, question.sources)) {}

  Derived Settings() {
    OrderedJson json = Common();
    OrderedJson& permissions = json["permissions"];
    if (const std::string mode = PermissionModeOf(policy_); !mode.empty()) {
      permissions["defaultMode"] = mode;
    }
    // A settings file cannot list the tools that exist, only those that are refused.
    AddRules(permissions, Refused(true));
    json["sandbox"] = Sandbox(policy_.permitted == Permitted::kAllow);
    NoteTheRest();
    return {std::move(json), std::move(notes_)};
  }

  Derived SdkOptions() {
    OrderedJson options{{"cwd", question_.places.root_real.text()}};
    if (tools_.every_tool) {
      options["tools"] = {{"type", "preset"}, {"preset", "claude_code"}};
    } else {
      std::vector<std::string> tools = tools_.tools;
      tools.insert(tools.end(), tools_.mcp.begin(), tools_.mcp.end());
      options["tools"] = tools;
    }
    options["allowedTools"] = tools_.allowed;
    // If `tools` is a list, it leaves out the other tools already.
    options["disallowedTools"] = Refused(tools_.every_tool);
    const std::string mode = PermissionModeOf(policy_);
    // Without a mode, a project's settings would choose it.
    options["permissionMode"] = mode.empty() ? "default" : mode;
    if (mode == "bypassPermissions") options["allowDangerouslySkipPermissions"] = true;
    PutTexts(options, "additionalDirectories", FoldersOutside(policy_, question_.places));
    options["settingSources"] = {"project"};
    options["sandbox"] = Sandbox(true);
    OrderedJson settings = Common();
    AddRules(settings["permissions"], {});
    options["settings"] = std::move(settings);
    NotePrompts();
    NoteTheRest();
    return {std::move(options), std::move(notes_)};
  }

 private:
  // Returns the settings of every kind: the hook, and limits that keep other settings from
  // bypassing it.
  OrderedJson Common() {
    OrderedJson json;
    json["disableAllHooks"] = false;  // a project's settings may set it to true
    PutLimits(json, {.flags = {NoSkillShell()}});
    json["hooks"] = HooksOf(question_.command);
    json["permissions"] = OrderedJson::object();
    const ClientLimits limits = ClientFenceFor(policy_, question_.client_fence);
    PutLimits(json, limits);
    AddNotes(limits.notes);
    return json;
  }

  void AddRules(OrderedJson& permissions, std::vector<std::string> deny) {
    const PathRulesOfClient rules = PathRulesFor(policy_, question_.places);
    deny.insert(deny.end(), rules.deny.begin(), rules.deny.end());
    if (policy_.wrap_bash) PutTexts(permissions, "allow", question_.wrapping);
    PutTexts(permissions, "ask", rules.ask);
    PutTexts(permissions, "deny", deny);
    AddNotes(rules.notes);
  }

  bool sandbox_is_ours() const { return policy_.wrap_bash || question_.under_run; }

  // Switches the client's sandbox off if ringfence provides one, because they cannot be nested.
  OrderedJson Sandbox(bool without_prompt) {
    if (sandbox_is_ours()) return {{"enabled", false}};
    const ClientLimits limits = SandboxForOneProject(policy_, question_.places, question_.guarded);
    AddNotes(limits.notes);
    OrderedJson json;
    PutLimits(json, limits);
    if (without_prompt && IsBashPermitted(policy_)) {
      json["sandbox"]["autoAllowBashIfSandboxed"] = true;
    }
    return json["sandbox"];
  }

  std::vector<std::string> Refused(bool with_missing) const {
    std::vector<std::string> names;
    if (with_missing) names = tools_.missing;
    for (const std::string& name : tools_.denied) {
      AddOnce(names, name);
    }
    return names;
  }

  // Notes the MCP tools that the client asks about; without a terminal it refuses them.
  void NotePrompts() {
    if (policy_.permission_mode == "bypassPermissions") return;
    std::string list;
    for (const std::string& glob : tools_.mcp) list += (list.empty() ? "" : ", ") + Quote(glob, 60);
    if (list.empty()) return;
    notes_.push_back(
        "the client asks before each call of these, and refuses if there is no answer: " + list +
        "; answer in canUseTool, or list tools that need no question in allowedTools");
  }

  void NoteTheRest() {
    if (!sandbox_is_ours() && policy_.unsandboxed == Unsandboxed::kAsk) {
      notes_.emplace_back(
          "bash.unsandboxed is \"ask\", but sandbox.allowUnsandboxedCommands is false: what the"
          " user approves still runs in the sandbox");
    }
    if (!policy_.wrap_bash && !question_.under_run && MayWrap(question_.sources)) {
      notes_.emplace_back(kWrapsForSome);
    }
    for (const std::string& entry : tools_.lost) {
      notes_.push_back("the client takes " + Quote(entry, 60) +
                       " as not a tool, so tools.deny leaves to the hook there");
    }
    NoteCallers();
  }

  void NoteCallers() {
    std::string callers;
    for (const PolicySource& source : question_.sources.sources) {
      for (const Profile& profile : source.file->profiles) {
        if (!profile.when || !profile.when->is_chosen_by_event()) continue;
        callers += (callers.empty() ? "" : ", ") + Quote(profile.name, 60);
      }
    }
    if (callers.empty()) return;
    notes_.push_back(
        "the client's settings apply to every caller, so these profiles count only in "
        "the hook: " +
        callers);
  }

  void AddNotes(const std::vector<std::string>& notes) {
    notes_.insert(notes_.end(), notes.begin(), notes.end());
  }

  const SettingsQuestion& question_;
  const Policy& policy_;
  ToolNames tools_;
  std::vector<std::string> notes_;
};

struct PythonName {
  const char* typescript;
  const char* python;
};
constexpr PythonName kPythonNames[] = {
    {"cwd", "cwd"},
    {"tools", "tools"},
    {"allowedTools", "allowed_tools"},
    {"disallowedTools", "disallowed_tools"},
    {"permissionMode", "permission_mode"},
    {"additionalDirectories", "add_dirs"},
    {"settingSources", "setting_sources"},
    {"sandbox", "sandbox"},
    {"settings", "settings"},
};

// Returns the options with their Python names. In Python `settings` is text, and the mode needs no
// second option.
OrderedJson InPython(const OrderedJson& options) {
  OrderedJson json;
  for (const PythonName& name : kPythonNames) {
    if (options.contains(name.typescript)) json[name.python] = options[name.typescript];
  }
  json["settings"] = json["settings"].dump();
  return json;
}

Status CheckKept(const std::string& text, const std::string& path) {
  const ClientSettings settings = ParseClientSettings(text, path, path);
  if (settings.drops.empty()) return Unit{};
  Error error = settings.drops.front();
  error.what += ": because of this the client drops the whole settings file";
  error.hint = "fix it first; nothing was changed";
  return error;
}

class SettingsMerger {
 public:
  SettingsMerger(JsonEdit edit, bool replaces) : edit_(std::move(edit)), replaces_(replaces) {}

  void Object(const std::string& pointer, const OrderedJson& wanted) {
    for (const auto& [key, value] : wanted.items()) Member(pointer, key, value);
  }

  Merged Take() { return {edit_.text(), std::move(conflicts_)}; }

 private:
  void Member(const std::string& pointer, const std::string& key, const OrderedJson& value) {
    const std::string place = pointer + "/" + key;
    const JsonEdit::Node* node = edit_.At(place);
    if (node == nullptr) {
      edit_.AddMember(*edit_.At(pointer), key, value);
    } else if (value.is_object() && node->kind == JsonKind::kObject) {
      Object(place, value);
    } else if (value.is_array() && node->kind == JsonKind::kArray) {
      Array(place, value);
    } else if (edit_.Value(*node) != value) {
      Conflict(place, value);
    }
  }

  void Array(const std::string& place, const OrderedJson& wanted) {
    for (const OrderedJson& element : wanted) {
      const OrderedJson there = edit_.Value(*edit_.At(place));
      const bool is_there = Contains(there, element);
      if (!is_there) edit_.AddElement(*edit_.At(place), element);
    }
  }

  void Conflict(const std::string& place, const OrderedJson& value) {
    const JsonEdit::Node& node = *edit_.At(place);
    const std::string was = Printable(CutText(std::string(edit_.Raw(node)), 80));
    conflicts_.push_back(edit_.tree().PlaceOf(node.begin) + ": " + DottedKey(place) + " is " + was +
                         ", and the policy wants " + value.dump());
    if (replaces_) edit_.Replace(node, value);
  }

  JsonEdit edit_;
  bool replaces_;
  std::vector<std::string> conflicts_;
};

}  // namespace

Derived ClientSettingsFor(const SettingsQuestion& question) { return Deriver(question).Settings(); }

Derived SdkOptionsFor(const SettingsQuestion& question, SdkLanguage language) {
  Derived derived = Deriver(question).SdkOptions();
  if (language == SdkLanguage::kPython) derived.json = InPython(derived.json);
  return derived;
}

Result<Merged> MergeSettings(const MergeRequest& request) {
  const std::string before = IsBlank(request.text) ? "{}\n" : request.text;
  if (Status s = CheckKept(before, request.path); !s) return s.error();
  SettingsRecord record;
  record.path = request.path;
  Result<SettingsEditor> editor = SettingsEditor::Open(before, record);
  if (!editor) return editor.error();
  editor->Register(request.command);
  Result<JsonEdit> edit = JsonEdit::Open(editor->text(), request.path, false);
  if (!edit) return edit.error();
  OrderedJson rest = request.settings;
  rest.erase("hooks");
  SettingsMerger merger(std::move(*edit), request.replaces);
  merger.Object("", rest);
  Merged merged = merger.Take();
  if (Status s = CheckKept(merged.text, request.path); !s) return s.error();
  return merged;
}

bool MayWrap(const PolicySources& sources) {
  EventFilter filter;
  for (const PolicySource& source : sources.sources) AddNeeds(*source.file, filter);
  return filter.keeps_input;
}

}  // namespace ringfence
