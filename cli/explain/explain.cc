// `ringfence explain`: shows what the hook decides, by which rule and in which steps.
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "agents/claude/agent.h"
#include "agents/claude/setup/call_event.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "cli/command_line/options.h"
#include "cli/common/console.h"
#include "cli/common/evaluator.h"
#include "cli/common/grant_target.h"
#include "cli/common/misread_path.h"
#include "cli/common/policies.h"
#include "cli/common/registered.h"
#include "cli/explain/explain_host.h"
#include "cli/explain/explain_text.h"
#include "cli/permit/session_grants.h"
#include "policy/evaluate/evaluate_url.h"
#include "policy/files/real_files.h"
#include "policy/load/key_rows.h"
#include "policy/load/trust.h"
#include "policy/mcp/mcp_name.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

// Returns "file_path" for Read, "command" for Bash, "path" for an MCP tool.
std::string MainArgument(const std::string& tool) {
  if (ClaudeCode().tools.IsShell(tool)) return "command";
  if (const auto known = ClaudeCode().tools.Find(tool)) {
    for (const ToolField& field : known->fields) {
      const bool is_main = field.required || field.role == FieldRole::kWorktreeName;
      if (is_main) return std::string(field.pointer.substr(1));
    }
    if (!known->fields.empty()) return std::string(known->fields.front().pointer.substr(1));
  }
  return IsMcpTool(tool) ? "path" : "command";
}

struct ExplainOptions {
  Registration given;
  bool json = false;
  std::string what;  // TOOL, PATH, HOST or @set
  std::string argument;
  std::string event_file;
  std::string cwd;
  std::string agent_type;
  bool subagent = false;
  std::string permission_mode = "default";
  std::string session = "explain";
};

Result<OrderedJson> ToolInput(const ExplainOptions& options) {
  OrderedJson input = OrderedJson::object();
  if (options.argument.empty()) return input;
  if (!options.argument.starts_with('{')) {
    input[MainArgument(options.what)] = options.argument;
    return input;
  }
  input = OrderedJson::parse(options.argument, nullptr, false);
  if (!input.is_object()) {
    return UsageError("", "the argument begins with { but is not a JSON object",
                      "write the tool's whole input, such as '{\"file_path\": \"/etc/hosts\"}'");
  }
  return input;
}

Result<std::string> ExplainedEvent(const ExplainOptions& options, const Places& places) {
  if (!options.event_file.empty()) {
    Result<std::optional<std::string>> text = ReadIfThere(options.event_file);
    if (!text) return text.error();
    if (!*text) return UsageError("", Quote(options.event_file) + " does not exist");
    return **text;
  }
  const Result<OrderedJson> input = ToolInput(options);
  if (!input) return input.error();
  CallEvent call{.session = options.session,
                 .cwd = options.cwd.empty() ? places.root.text()
                                            : std::filesystem::absolute(options.cwd).string(),
                 .permission_mode = options.permission_mode,
                 .tool = options.what,
                 .input = *input};
  if (options.subagent || !options.agent_type.empty()) {
    call.agent_id = "explain";
    call.agent_type = options.agent_type.empty() ? "general-purpose" : options.agent_type;
  }
  return EventText(call);
}

// Decides a call with the options of one registration of the hook, or of the command line.
class Explainer {
 public:
  Explainer(const Registration& options, Context& context, const CachedFiles& files)
      : options_(options), context_(context), files_(files) {}

  Result<Explained> Call(const ExplainOptions& call) {
    const Result<std::string> text = ExplainedEvent(call, context_.places);
    if (!text) return text.error();
    Result<Event> event = EventEvaluator(context_, options_.profile).Read(*text);
    if (!event) return event.error();
    const bool is_call =
        event->kind == EventKind::kPreToolUse || event->kind == EventKind::kPermissionRequest;
    if (!is_call) {
      return UsageError("", "the event is not a tool call",
                        "only PreToolUse and PermissionRequest are decided");
    }
    Explained explained{.event = std::move(*event), .notes = context_.sources.notes};
    if (Status s = Decide(explained); !s) return s.error();
    if (Status s = AddClient(explained); !s) return s.error();
    AddMeantTool(explained);
    return explained;
  }

 private:
  static void AddMeantTool(Explained& explained) {
    const std::string& name = explained.event.tool_name;
    if (IsMcpTool(name) || ClaudeCode().tools.Find(name)) return;
    const std::string_view meant = ClaudeCode().tools.Nearest(name);
    if (meant.empty()) return;
    explained.notes.push_back("did you mean " + Quote(meant) + "?");
    if (explained.decision.cause) explained.decision.cause->remedy.clear();  // misspelt name
  }

  Status Decide(Explained& explained) {
    const Result<bool> granted =
        AddSessionGrants(explained.event.session_id, context_.places, context_.sources);
    if (!granted) return granted.error();
    EventEvaluator evaluator(context_, options_.profile);
    Result<EventEvaluator::Outcome> outcome =
        evaluator.Decide(explained.event, files_, &explained.trace);
    if (!outcome) return outcome.error();
    explained.policy = *outcome->policy;
    explained.decision = std::move(outcome->decision);
    if (explained.decision.verdict == Verdict::kDeny && !*granted) AddSessions(explained);
    return Unit{};
  }

  // Adds a note for each session in which `ringfence allow --session` permits the call.
  void AddSessions(Explained& explained) {
    if (context_.places.homes.empty()) return;
    for (const std::string& session : SessionsWithGrants(context_.places.homes.front().text())) {
      const Result<bool> granted = AddSessionGrants(session, context_.places, context_.sources);
      if (!granted || !*granted) continue;
      EventEvaluator evaluator(context_, options_.profile);
      const Result<EventEvaluator::Outcome> outcome = evaluator.Decide(explained.event, files_);
      if (outcome && outcome->decision.verdict != Verdict::kDeny) {
        explained.notes.push_back("the session " + session + " may, by ringfence allow --session");
      }
      context_.sources.sources.pop_back();
    }
  }

  Status AddClient(Explained& explained) {
    const Result<Registration> where = FindRegistration(options_.home, context_.places.root.text());
    if (!where) return where.error();
    const Result<ClientRefusals> client = ClientRefusals::Read(*where);
    if (!client) return client.error();
    if (const auto note = client->NoteOn(explained.event)) explained.notes.push_back(*note);
    explained.client = client->OfCall(explained.event, explained.trace);
    // The policy denies the call as well, so the client's fix is not enough.
    const bool is_denied = explained.decision.verdict == Verdict::kDeny;
    if (explained.client && is_denied) explained.client->fix.clear();
    return Unit{};
  }

  const Registration& options_;
  Context& context_;
  const CachedFiles& files_;
};

Verdict VerdictOf(const Explained& explained) {
  return explained.client ? Verdict::kDeny : explained.decision.verdict;
}

// The client asks every registered hook, and the strictest verdict counts.
Result<Explained> Strictest(const ExplainOptions& call, const std::vector<Registration>& options,
                            std::vector<Context>& contexts, const CachedFiles& files) {
  std::optional<Explained> worst;
  for (size_t i = 0; i < contexts.size(); ++i) {
    Result<Explained> explained = Explainer(options[i], contexts[i], files).Call(call);
    if (!explained) return explained.error();
    if (!worst || VerdictOf(*explained) > VerdictOf(*worst)) worst = std::move(*explained);
  }
  return std::move(*worst);
}

// What the user asked about: calls of tools, and the connections of commands.
struct Subjects {
  std::vector<ExplainOptions> calls;
  std::optional<HostQuestion> host;
};

Result<Subjects> SubjectsOfHost(const ExplainOptions& options) {
  Subjects subjects;
  Result<HostQuestion> host = ReadHostQuestion(options.what);
  // The decision about the call says what is wrong with it.
  if (!host && !IsWebUrl(options.what)) return host.error();
  const std::string url = host ? host->web_url : options.what;
  if (host) subjects.host = std::move(*host);
  if (url.empty()) return subjects;
  subjects.calls.push_back(options);
  subjects.calls.back().what = "WebFetch";
  subjects.calls.back().argument = url;
  return subjects;
}

// A path means Read and Write, and a host WebFetch and a connection.
Result<Subjects> SubjectsOf(const ExplainOptions& options) {
  const bool is_name =
      !options.what.empty() && options.argument.empty() && options.event_file.empty();
  if (!is_name) return Subjects{{options}, {}};
  const bool is_url = IsUrl(options.what);
  if (auto misread = MisreadPath(options.what, options.cwd)) return *misread;
  std::optional<TargetKind> kind = KindOf(options.what);
  // Nothing of that name exists, and letter case makes no difference to a host.
  if (!kind && KindOf(LowerAscii(options.what)) == TargetKind::kHost) kind = TargetKind::kHost;
  std::vector<ExplainOptions> calls;
  const bool may_be_path = !kind && MayBeFileOrHost(options.what);
  const bool is_path = !is_url && (kind == TargetKind::kPath || may_be_path);
  const auto add = [&](const char* tool, const std::string& argument) {
    calls.push_back(options);
    calls.back().what = tool;
    calls.back().argument = argument;
  };
  if (is_path) {
    const bool is_relative = options.what[0] != '/' && options.what[0] != '~';
    // Relative to the user's current directory, which can differ from the project.
    const std::string path = is_relative && options.cwd.empty()
                                 ? std::filesystem::absolute(options.what).string()
                                 : options.what;
    add("Read", path);
    add("Write", path);
    return Subjects{std::move(calls), {}};
  }
  if (is_url || kind == TargetKind::kHost) return SubjectsOfHost(options);
  return Subjects{{options}, {}};
}

// The strictest of the registrations counts, as for calls.
Result<std::vector<ExplainedConnection>> Connections(const HostQuestion& host,
                                                     const ExplainOptions& options,
                                                     const std::vector<Registration>& registrations,
                                                     std::vector<Context>& contexts) {
  std::vector<ExplainedConnection> worst;
  const auto verdict = [](const std::vector<ExplainedConnection>& all) {
    return std::ranges::max_element(all, {}, [](const auto& one) { return one.decision.verdict; })
        ->decision.verdict;
  };
  ExplainOptions command = options;
  command.what = ClaudeCode().shell;
  command.argument = "true";
  for (size_t i = 0; i < contexts.size(); ++i) {
    Context& context = contexts[i];
    const Result<std::string> text = ExplainedEvent(command, context.places);
    if (!text) return text.error();
    const Result<bool> granted = AddSessionGrants(options.session, context.places, context.sources);
    if (!granted) return granted.error();
    EventEvaluator evaluator(context, registrations[i].profile);
    const Result<Event> event = evaluator.Read(*text);
    if (!event) return event.error();
    const Result<const Policy*> policy = evaluator.PolicyFor(*event);
    if (!policy) return policy.error();
    std::vector<ExplainedConnection> explained = ExplainConnections(host, **policy);
    if (*granted) context.sources.sources.pop_back();
    if (worst.empty() || verdict(explained) > verdict(worst)) worst = std::move(explained);
  }
  return worst;
}

// Prints each explanation, or all at the end as JSON.
class Explanations {
 public:
  explicit Explanations(bool as_json) : as_json_(as_json) {}

  void Add(const Explained& call) {
    worst_ = std::max(worst_, VerdictOf(call));
    if (as_json_) return all_.push_back(ExplainedJson(call));
    PrintExplained(call);
  }

  void Add(const ExplainedConnection& connection) {
    worst_ = std::max(worst_, connection.decision.verdict);
    if (as_json_) return all_.push_back(ConnectionJson(connection));
    PrintConnection(connection);
  }

  Outcome End() const {
    if (as_json_) PrintJson(all_.size() == 1 ? all_.front() : OrderedJson{{"calls", all_}});
    return worst_ == Verdict::kPermit ? 0 : 1;
  }

 private:
  bool as_json_;
  OrderedJson all_ = OrderedJson::array();
  Verdict worst_ = Verdict::kPermit;
};

Outcome ExplainSubjects(const ExplainOptions& given, const std::vector<Registration>& options,
                        std::vector<Context>& contexts, const CachedFiles& files) {
  const Result<Subjects> subjects = SubjectsOf(given);
  if (!subjects) return subjects.error();
  Explanations explanations(given.json);
  for (const ExplainOptions& call : subjects->calls) {
    Result<Explained> explained = Strictest(call, options, contexts, files);
    if (!explained) return explained.error();
    // The user may have named a host, and no URL.
    const bool names_host = subjects->host && explained->decision.cause;
    if (names_host) explained->decision.cause->what = "connection to " + Quote(given.what);
    explanations.Add(*explained);
  }
  if (subjects->host) {
    const auto connections = Connections(*subjects->host, given, options, contexts);
    if (!connections) return connections.error();
    for (const ExplainedConnection& connection : *connections) explanations.Add(connection);
  }
  return explanations.End();
}

Outcome RunExplain(const ExplainOptions& options) {
  const RealFiles disk;
  const CachedFiles files(disk);
  const bool is_map = NamesMcpMaps(options.what) && options.argument.empty();
  if (is_map) return ExplainMcpMaps(options.what, options.json);
  if (options.what.starts_with('@')) {
    Registration place = options.given;
    if (place.root.empty()) place.root = ".";  // a set can be shown without a registered hook
    const Result<Context> context = FindTypedContext(place, files);
    if (!context) return context.error();
    return ExplainSet(options.what, context->places, options.json);
  }
  if (options.what.empty() == options.event_file.empty()) {
    return UsageError("", "name a path, a host, a tool and its argument, a set, or --event FILE",
                      "ringfence explain /etc/hosts, or: ringfence explain Read /etc/hosts");
  }
  if (!options.argument.empty() && options.what.find('/') != std::string::npos) {
    return UsageError("", Quote(options.what) + " is not a tool, so it takes no argument",
                      "name a tool and its argument: ringfence explain Read /etc/hosts");
  }
  const Result<std::vector<Registration>> here = RegistrationsHere(options.given);
  if (!here) return here.error();
  std::vector<Context> contexts;
  for (const Registration& one : *here) {
    Result<Context> context = FindTypedContext(one, files);
    if (!context) return context.error();
    contexts.push_back(std::move(*context));
  }
  return ExplainSubjects(options, *here, contexts, files);
}

}  // namespace

void AddExplain(Command& app, Action& chosen) {
  Command command = AddCommand(
      app, "explain", "Explain a decision: the verdict, the rule, and each step",
      "  ringfence explain ../other/notes.md           reading it, and writing to it\n"
      "  ringfence explain registry.npmjs.org          WebFetch, and a sandboxed command\n"
      "  ringfence explain github.com:22\n"
      "  ringfence explain Read ../other/notes.md\n"
      "  ringfence explain Bash '{\"command\": \"ls\", \"dangerouslyDisableSandbox\": true}'\n"
      "  ringfence explain mcp__fs__move '{\"source\": \"a\", \"destination\": \"/etc/x\"}'\n"
      "  ringfence explain --event captured.json --json\n"
      "  ringfence explain @secrets\n"
      "  ringfence explain mcp         which arguments of well-known MCP servers are paths\n"
      "Exit status: 0 permitted, 1 asked about, denied, or refused by the client, 2 invalid "
      "input.");
  const auto options = std::make_shared<ExplainOptions>();
  AddContextOptions(command, options->given, options->json);
  command.AddOption("what PATH|HOST|TOOL|@SET", options->what,
                    "A path, a host, a tool (Read, Bash, mcp__server__tool) or a @set");
  command.AddOption("argument", options->argument,
                    "Its main argument, or the whole input as a JSON object");
  command.AddOption("--event FILE", options->event_file,
                    "A whole hook event, as the client sends it");
  command.AddOption("--cwd DIR", options->cwd,
                    "The session's current directory (default: the project)");
  command.AddFlag("--subagent", options->subagent, "As if a subagent made the call");
  command.AddOption("--agent-type TYPE", options->agent_type,
                    "As if this type of subagent made the call");
  std::vector<std::string_view> modes;
  for (const KeyChoice& choice : KeyNamed("client.permission_mode").type.choices) {
    modes.push_back(choice.word);
  }
  command
      .AddOption("--permission-mode MODE", options->permission_mode,
                 "As if the session was in this permission mode (default: default)")
      .OneOf(modes);
  command.AddOption("--session-id ID", options->session,
                    "With what ringfence allow --session permitted in this session");
  command.OnGiven([options, &chosen] { chosen = [options] { return RunExplain(*options); }; });
}

}  // namespace ringfence
