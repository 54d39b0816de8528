#include "cli/permit/policy_change.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "agents/claude/agent.h"
#include "agents/claude/setup/mcp_servers.h"
#include "base/regular_file.h"
#include "base/result.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/file_place.h"
#include "cli/common/host_tools.h"
#include "cli/common/init_command.h"
#include "cli/common/misread_path.h"
#include "cli/common/registered.h"
#include "cli/common/state.h"
#include "cli/permit/ended_agent.h"
#include "cli/permit/misread_host.h"
#include "cli/permit/session_choice.h"
#include "cli/permit/session_grants.h"
#include "policy/evaluate/fix.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "policy/load/load.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

Error Misread(const std::string& word, std::string what, const std::string& meant,
              const std::string& otherwise) {
  return UsageError(Quote(word), std::move(what),
                    meant.empty() ? otherwise : "did you mean " + Quote(meant) + "?");
}

// Returns the argument of a rule such as "Read(~/x)", without "domain:".
std::string ArgumentOfRule(const std::string& word, size_t open) {
  std::string argument = word.substr(open + 1, word.size() - open - 2);
  constexpr std::string_view kDomain = "domain:";
  if (argument.starts_with(kDomain)) return argument.substr(kDomain.size());
  if (argument.starts_with("//"))
    argument.erase(0, 1);  // an absolute path in the client's notation
  return argument;
}

// Returns an error for "$HOME/x" and "Read(~/x)", but not for other words or an existing file.
std::optional<Error> MisreadWord(const std::string& word) {
  if (word.empty() || ::access(word.c_str(), F_OK) == 0) return {};
  if (word[0] == '$') {
    constexpr std::string_view kHomes[] = {"$HOME", "${HOME}"};
    std::string meant;
    for (const std::string_view home : kHomes) {
      const std::string_view rest =
          std::string_view(word).substr(std::min(home.size(), word.size()));
      const bool is_whole = word.starts_with(home) && (rest.empty() || rest[0] == '/');
      if (is_whole) meant = "~" + std::string(rest);
    }
    return Misread(word, "begins with a variable that no shell has replaced", meant,
                   "write its value");
  }
  if (word[0] == '@' && FindPathSet(word) == nullptr && KindOf(word) != TargetKind::kTool) {
    return Misread(word, "is not a set of paths or tools", "",
                   "ringfence explain " + ShellWord(word) + " lists the sets");
  }
  const size_t open = word.find('(');
  const bool is_rule = open != std::string::npos && word.ends_with(')') &&
                       ClaudeCode().tools.Find(std::string_view(word).substr(0, open));
  if (!is_rule) return {};
  const bool is_command = ClaudeCode().tools.RunsCommand(std::string_view(word).substr(0, open));
  return Misread(word, "is a permission rule of the client, not a path, host or tool",
                 is_command ? word.substr(0, open) : ArgumentOfRule(word, open),
                 "name the path, host or tool");
}

template <typename Rule>
bool HasName(const std::vector<Rule>& rules, std::string_view Rule::*name,
             const std::string& text) {
  return std::ranges::find(rules, text, name) != rules.end();
}

}  // namespace

Status PolicyChange::Open() {
  if (Status s = FindPlaces(); !s) return s;
  if (Status s = transaction_.Open(where_.home); !s) return s;
  if (Status s = FindPolicies(); !s) return s.error();
  sandbox_before_ = SandboxEntriesFor(*context_);
  return ReadTarget();
}

Status PolicyChange::FindPlaces() {
  if (Status s = FindProject(options_.given.home, options_.project).MoveTo(where_); !s)
    return s.error();
  const Result<Registration> here = FindRegistration(options_.given.home, "");
  if (!here) return here.error();
  folder_ = here->project_dir;
  if (options_.project.empty()) where_.project_dir = NearestProject(where_);
  return Unit{};
}

Status PolicyChange::FindPolicies() {
  if (!options_.policy.empty()) {
    const Result<Registration> policy = FindRegistration(options_.given.home, options_.policy);
    if (!policy) return policy.error();
    policy_option_ = policy->project_dir;
    return ReadAgain();
  }
  if (Status s = ReadRegistration(); !s) return s.error();
  return ReadAgain();
}

// Reads the policy, the profile and the project from the hook's registration.
Status PolicyChange::ReadRegistration() {
  const Result<std::vector<SettingsFile>> files = ReadSettingsFiles(where_);
  if (!files) return files.error();
  Registration given;
  given.home = options_.given.home;
  const Registration registered =
      RegistrationsInForce(given, *files, "/ringfence-hook").front().options;
  policy_option_ = registered.policy;
  profile_ = registered.profile;
  if (options_.project.empty()) root_ = registered.root;
  return Unit{};
}

std::optional<std::string> PolicyChange::InitThat(bool adds) const {
  const auto files = ReadSettingsFiles(where_);
  const auto records = ReadRecords(where_.home);
  if (!files || !records || records->value.empty()) return {};
  const std::vector<SandboxEntry> now = SandboxEntriesFor(*context_);
  const bool has_work = adds ? !EntriesBeyond(now, sandbox_before_, *files).empty()
                             : HoldsAny(*files, EntriesBeyond(sandbox_before_, now, *files));
  if (!has_work) return {};
  const auto approvals = ReadApprovalsFile(where_.home);
  return approvals ? InitCommandInForce(*files, approvals->value, where_) : "ringfence init";
}

std::string PolicyChange::ShownUsers() const {
  return ShownPath(policy_option_.empty() ? UserPolicyPath(where_.home) : policy_option_, where_);
}

Status PolicyChange::ReadAgain() {
  const Result<HookProgram> hook = FindHookProgram("");  // ringfence's programs are protected
  Registration typed = where_;
  if (hook) typed.program = hook->path;
  typed.policy = policy_option_;
  typed.root = root_;
  typed.profile = profile_;
  if (Status s =
          (options_.project.empty() ? borrowed_.Find(typed) : FindTypedContext(typed, RealFiles()))
              .MoveTo(context_);
      !s)
    return s.error();
  return AddGrants();
}

// Finds the kind by --as or by the name. Replaces a URL with its host.
Result<TargetKind> PolicyChange::ReadKind() {
  if (what_.empty()) {
    return UsageError(
        "", "no path, host or tool given",
        "name a path, a host or a tool, such as ~/src/shared or mcp__github__get_issue");
  }
  if (options_.kind == "path") return TargetKind::kPath;
  if (options_.kind == "tool") return TargetKind::kTool;
  if (IsUrl(what_)) {
    Result<std::string> host = HostOfUrl(what_);
    if (!host) return host.error();
    notes_.push_back(Quote(what_) + " was taken as its host, " + Quote(*host));
    what_ = std::move(*host);
    return TargetKind::kHost;
  }
  if (options_.kind == "host") return TargetKind::kHost;
  if (auto misread = MisreadWord(what_)) return *misread;
  if (auto misread = MisreadPath(what_, folder_)) return *misread;
  if (auto doubtful = HostThatExistsHere(what_)) return *doubtful;
  if (const auto kind = KindOf(what_)) return *kind;
  if (const auto kind = options_.finds_entry ? KindOfEntry() : std::nullopt) return *kind;
  if (auto misspelt = MisspeltHost(what_)) return *misspelt;
  if (MayBeFileOrHost(what_)) {
    return UsageError(Quote(what_), "does not exist here, and could be a file or a host",
                      "say which it is: --as path or --as host");
  }
  if (auto server = ServerNamed()) return *server;
  return UsageError(Quote(what_),
                    "does not exist here, and is neither a host nor a known tool" +
                        DidYouMean(ClaudeCode().tools.Nearest(what_)),
                    "say which it is: --as path, --as host or --as tool");
}

// Returns an error if the name is a configured MCP server: it does not name the server's tools.
std::optional<Error> PolicyChange::ServerNamed() const {
  const std::vector<McpServer> servers = McpServersOf(where_);
  const auto server = std::ranges::find(servers, what_, &McpServer::name);
  if (server == servers.end()) return {};
  return UsageError(Quote(what_),
                    "is the name of an MCP server (" + Printable(server->source) + ")",
                    "name all its tools: " + ShellWord("mcp__" + server->part + "__*"));
}

// Returns the kind of a policy's entry with this name: a tool or a host. A path needs no entry.
std::optional<TargetKind> PolicyChange::KindOfEntry() const {
  for (const PolicySource& source : context_->sources.sources) {
    const Sections& sections = source.file->sections;
    for (const auto* tools : {&sections.tools.allow, &sections.tools.ask}) {
      if (*tools && HasName(**tools, &NameRule::pattern, what_)) return TargetKind::kTool;
    }
    const bool names_hosts = sections.network && sections.network->allow;
    if (names_hosts && HasName(*sections.network->allow, &HostRule::written, LowerAscii(what_))) {
      return TargetKind::kHost;
    }
  }
  return {};
}

Status PolicyChange::ReadTarget() {
  const Result<TargetKind> kind = ReadKind();
  if (!kind) return kind.error();
  if (*kind == TargetKind::kHost && what_.ends_with('.')) what_.pop_back();  // the root of the DNS
  if (options_.read && *kind != TargetKind::kPath) {
    return UsageError("--read", Quote(what_) + " is not a path", "leave --read out");
  }
  if (Status s = MakeTarget(*kind, what_, folder_, where_.home).MoveTo(grant_); !s)
    return s.error();
  if (grant_.kind == TargetKind::kTool && grant_.text != what_) {
    notes_.push_back(Quote(what_) + " was taken as all the tools of that server, " +
                     Quote(grant_.text));
    what_ = grant_.text;
  }
  grant_.also_write = !options_.read;
  grant_.as_question = options_.ask;
  return Unit{};
}

Result<ChangeTarget> PolicyChange::TargetAt(const std::string& path, std::string root) const {
  Result<std::string> followed = FollowedPath(path);
  if (!followed) return followed.error();
  Result<std::optional<std::string>> text = ReadIfThere(*followed);
  if (!text) return text.error();
  return ChangeTarget{.path = *followed,
                      .shown = ShownPath(*followed, where_),
                      .text = std::move(*text),
                      .root = std::move(root),
                      .home = where_.home,
                      .is_session = !session_.empty()};
}

// Returns the session's own file, whose entries end with the session.
Result<ChangeTarget> PolicyChange::SessionTarget() {
  if (options_.ask) {
    return UsageError("--ask", "cannot be combined with --session, which only permits",
                      "leave out --ask or --session");
  }
  // Without a "network" section only the sandbox of an agent refuses hosts.
  grant_.is_of_agent = grant_.kind == TargetKind::kHost && !HasNetwork(*context_);
  session_ = options_.session_id;
  if (!options_.finds_entry && IsEndedAgent(where_.home, session_)) {
    return UsageError("--session-id", "the agent of the session " + session_ + " has ended",
                      "leave --session-id out to permit it to all; nothing was changed");
  }
  if (session_.empty()) {
    Result<std::string> chosen = ChooseSession(options_, what_, grant_, *context_);
    if (Status s = std::move(chosen).MoveTo(session_); !s) return s.error();
  }
  const std::string path = SessionGrantsPath(where_.home, session_);
  if (path.empty()) {
    return UsageError("--session-id", Quote(session_) + " is not a session id",
                      "it is the \"session_id\" of the client's events");
  }
  Result<ChangeTarget> target = TargetAt(path, "");
  if (!target) return target.error();
  if (Status s = AddGrants(); !s) return s.error();
  return target;
}

Status PolicyChange::AddGrants() {
  if (session_.empty()) return Unit{};
  const Result<bool> added = AddSessionGrants(session_, context_->places, context_->sources);
  if (!added) return added.error();
  return Unit{};
}

Result<ChangeTarget> PolicyChange::FindTarget() {
  if (options_.is_for_session()) return SessionTarget();
  if (IsHostLoopback(grant_)) return UsersTarget();  // a project's policy cannot have it
  for (const PolicySource& source : context_->sources.sources) {
    if (source.layer != Layer::kProject) continue;
    if (source.trusted) return TargetAt(source.file->path, context_->places.root_real.text());
    notes_.push_back(source.file->shown +
                     " is not trusted, so the user's policy is the one that is changed");
  }
  return UsersTarget();
}

Result<ChangeTarget> PolicyChange::UsersTarget() const {
  return TargetAt(policy_option_.empty() ? UserPolicyPath(where_.home) : policy_option_, "");
}

std::vector<PolicyChange::StillInSession> PolicyChange::StillInSessions() {
  std::vector<StillInSession> still;
  if (!session_.empty()) return still;
  for (const SessionPermit& permit : SessionsThatPermit(grant_, *context_)) {
    const std::string as = options_.kind.empty() ? "" : " --as " + options_.kind;
    still.push_back({"the session " + permit.session + " still may, by ringfence allow --session",
                     "ringfence revoke --session-id " + permit.session + as + " " +
                         ShellWord(permit.entry.empty() ? what_ : permit.entry)});
  }
  return still;
}

Status PolicyChange::Write(const ChangeTarget& target, const PolicyEdit& edit) {
  std::vector<Error> mistakes;
  const bool of_project = !target.root.empty();
  if (LoadPolicy({edit.text, target.path, target.shown, true, &ClaudeCode(), of_project},
                 mistakes) == nullptr) {
    Error error = mistakes.front();
    error.what += " (after the change of " + Quote(edit.entries.front()) + ")";
    return error;
  }
  const NewFileModes modes =
      target.is_session ? NewFileModes{.file = 0600, .folders = 0700} : NewFileModes{};
  if (Status s = transaction_.Write(target.path, target.text, edit.text, modes); !s) return s;
  if (!target.root.empty()) {
    auto trust = ReadTrust(where_.home);
    if (!trust) return trust.error();
    Pin(trust->value, {target.root, Sha256Hex(edit.text)});
    if (Status s = Save(*trust, transaction_); !s) return s;
  }
  return ReadAgain();
}

Outcome PolicyChange::Tell(const std::string& done, OrderedJson json,
                           const std::vector<std::string>& notes) const {
  if (options_.json) {
    json["notes"] = notes;
    PrintJson(json);
    return 0;
  }
  const Console console;
  console.Line(done);
  for (const std::string& note : notes) console.Line("Note: " + note + ".");
  return 0;
}

std::string PolicyChange::ListsText(const ChangeTarget& target, const PolicyEdit& edit) {
  std::string lists;
  for (const std::string& list : edit.lists) lists += (lists.empty() ? "" : " and ") + list;
  return lists + " of " + target.shown + (target.text ? "" : " (new)") +
         (target.root.empty() ? "." : ", trusted again.");
}

void AddChangeOptions(Command& command, ChangeOptions& options) {
  command.AddOption("what PATH|HOST|TOOL", options.what,
                    "A path, a host (with :PORT or not) or a tool");
  command.AddFlag("--session", options.session,
                  "Only in the session that was refused; if several were, lists their commands");
  command.AddOption("--session-id ID", options.session_id, "Only for this session");
  command.AddOption("--as KIND", options.kind, "The kind of the argument, if its name is ambiguous")
      .OneOf({"path", "host", "tool"});
  command.AddOption("--project DIR", options.project,
                    "The project (default: around the current directory)");
  command.AddOption("--policy FILE", options.policy, "This policy file and no other");
  AddCommonOptions(command, options.given, options.json);
}

}  // namespace ringfence
