#include "cli/allow.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/sha256.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/policy_addition.h"
#include "cli/refused_session.h"
#include "cli/starter_policy.h"
#include "cli/state.h"
#include "cli/wish.h"
#include "policy/layers.h"
#include "policy/load.h"

namespace ringfence {
namespace {

struct AllowOptions {
  CommonOptions common;
  std::string what;
  std::string kind;  // --as
  std::string project;
  std::string policy;
  bool read = false;
  bool ask = false;
  bool session = false;
  std::string session_id;
};

constexpr const char* kExamples =
    "  ringfence allow ~/src/shared-lib --read   reading, not writing\n"
    "  ringfence allow ../data                   reading and writing\n"
    "  ringfence allow /srv/data --ask           only with a question\n"
    "  ringfence allow registry.npmjs.org        a host\n"
    "  ringfence allow 'mcp__github__*'          the tools of an MCP server\n"
    "  ringfence allow ../data --session         for the session that was refused it, no longer\n\n"
    "The entry goes into the policy that decides: the project's own where it is trusted (and is\n"
    "trusted again), else the user's. Comments and layout stay.";

// Where the entry goes.
struct Target {
  std::string path;
  std::optional<std::string> text;  // of the file, if there is one
  std::string root;                 // of the project whose own policy it is, else ""
};

std::string PlaceOf(const Cause& cause) {
  return cause.what + " " + cause.why + (cause.place ? " (" + PlaceLabel(*cause.place) + ")" : "");
}

class Allowance {
 public:
  explicit Allowance(const AllowOptions& options) : options_(options), what_(options.what) {}

  Outcome Run() {
    using Step = Status (Allowance::*)();
    for (const Step step :
         {&Allowance::FindPolicies, &Allowance::ReadWish, &Allowance::FindTarget}) {
      if (Status s = (this->*step)(); !s) return s.error();
    }
    const auto before = JudgeWish(wish_, *policies_);
    if (!before) return before.error();
    if (*before && (*before)->verdict == Wanted()) return Report("is permitted already");
    const AdditionTarget target{.path = target_.path,
                                .root = target_.root,
                                .home = where_.home,
                                .is_session = !session_.empty()};
    Result<PolicyAddition> addition = AddWish(wish_, policies_->sources, target, text_);
    if (!addition) return addition.error();
    addition_ = std::move(*addition);
    if (addition_.lists.empty()) return Report("is there already");
    if (Status s = Write(); !s) return s.error();
    if (std::optional<Outcome> no = CheckResult()) return *no;
    transaction_.Commit();
    return Report("");
  }

 private:
  Verdict Wanted() const { return options_.ask ? Verdict::kAsk : Verdict::kPermit; }

  // The nearest folder with a policy of its own; "" where there is none.
  static std::string NearestProject(const Whereabouts& where) {
    for (Path folder = Path::Clean(where.project); !folder.is_root(); folder = folder.Parent()) {
      if (folder.text() == where.home) break;
      if (::access(ProjectPolicyPath(folder.text()).c_str(), F_OK) == 0) return folder.text();
    }
    return where.project;
  }

  Status FindPolicies() {
    Result<Whereabouts> where = FindProject(options_.common.home, options_.project);
    if (!where) return where.error();
    where_ = *where;
    const Result<Whereabouts> here = FindWhereabouts(options_.common.home, "");
    if (!here) return here.error();
    folder_ = here->project;
    if (options_.project.empty()) where_.project = NearestProject(where_);
    if (!options_.policy.empty()) {
      const Result<Whereabouts> policy = FindWhereabouts(options_.common.home, options_.policy);
      if (!policy) return policy.error();
      policy_option_ = policy->project;
    }
    return ReadAgain();
  }

  Status ReadAgain() {
    PolicyQuestion question{where_, "", policy_option_};
    Result<Policies> policies =
        options_.project.empty() ? borrowed_.Read(question) : ReadPolicies(question);
    if (!policies) return policies.error();
    policies_ = std::move(*policies);
    return AddGrants();
  }

  // What is meant, by --as or by the name; a URL becomes its host.
  Result<WishKind> ReadKind() {
    if (what_.empty()) {
      return Error{Error::Kind::kUsage, "", "nothing is named",
                   "name a path, a host or a tool: ringfence allow ~/src/shared"};
    }
    if (options_.kind == "path") return WishKind::kPath;
    if (options_.kind == "tool") return WishKind::kTool;
    if (IsUrl(what_)) {
      Result<std::string> host = HostOfUrl(what_);
      if (!host) return host.error();
      taken_ = Quote(what_) + " was taken as its host, " + Quote(*host);
      what_ = std::move(*host);
      return WishKind::kHost;
    }
    if (options_.kind == "host") return WishKind::kHost;
    if (const auto kind = KindOf(what_)) return *kind;
    return Error{Error::Kind::kUsage, Quote(what_),
                 "is no path that exists, no host with a dot and no tool that is known",
                 "say what it is: --as path, --as host or --as tool"};
  }

  Status ReadWish() {
    const Result<WishKind> kind = ReadKind();
    if (!kind) return kind.error();
    if (options_.read && *kind != WishKind::kPath) {
      return Error{Error::Kind::kUsage, "--read", Quote(what_) + " is no path", ""};
    }
    Result<Wish> wish = MakeWish(*kind, what_, folder_, where_.home);
    if (!wish) return wish.error();
    wish_ = std::move(*wish);
    wish_.also_write = !options_.read;
    wish_.as_question = options_.ask;
    return Unit{};
  }

  // A session's own file: what is in it ends with the session.
  Status FindSessionTarget() {
    if (options_.ask) {
      return Error{Error::Kind::kUsage, "--ask", "a session's file holds only what is permitted",
                   "leave out --ask or --session"};
    }
    session_ = options_.session_id;
    if (session_.empty()) {
      const Result<Policy> policy =
          MergePolicies(policies_->sources, "", policies_->places, Caller{});
      if (!policy) return policy.error();
      const std::optional<Path> log = OwnPath(policy->audit.file, policies_->places);
      if (!log) return Error{Error::Kind::kUsage, "--session", "no home is known", ""};
      Result<std::string> refused = RefusedSession(*log, wish_);
      if (!refused) return refused.error();
      session_ = std::move(*refused);
    }
    target_.path = SessionGrantsPath(where_.home, session_);
    if (target_.path.empty()) {
      return Error{Error::Kind::kUsage, "--session-id", Quote(session_) + " is no session's id",
                   "it is the \"session_id\" of the client's events"};
    }
    Result<std::optional<std::string>> text = ReadIfThere(target_.path);
    if (!text) return text.error();
    target_.text = std::move(*text);
    text_ = target_.text.value_or("{\n  \"version\": 1\n}\n");
    return AddGrants();
  }

  Status AddGrants() {
    if (session_.empty()) return Unit{};
    const Result<bool> added = AddSessionGrants(session_, policies_->places, policies_->sources);
    if (!added) return added.error();
    return Unit{};
  }

  Status FindTarget() {
    if (options_.session || !options_.session_id.empty()) return FindSessionTarget();
    target_.path = policy_option_.empty() ? UserPolicyPath(where_.home) : policy_option_;
    for (const PolicySource& source : policies_->sources.sources) {
      if (source.layer != Layer::kProject) continue;
      if (source.trusted) {
        target_.path = source.file->path;
        target_.root = policies_->places.root_real.text();
      } else {
        notes_.push_back(source.file->shown +
                         " is not trusted, so the entry goes into the user's policy");
      }
    }
    Result<std::string> followed = FollowedPath(target_.path);
    if (!followed) return followed.error();
    target_.path = *followed;
    Result<std::optional<std::string>> text = ReadIfThere(target_.path);
    if (!text) return text.error();
    target_.text = std::move(*text);
    text_ = target_.text.value_or(StarterPolicy({}));
    return Unit{};
  }

  Status Write() {
    std::vector<Error> mistakes;
    if (LoadPolicy({addition_.text, target_.path, ShownPath(target_.path, where_), true},
                   mistakes) == nullptr) {
      Error error = mistakes.front();
      error.what += " (after " + Quote(addition_.entry) + " was added)";
      return error;
    }
    const NewFileModes modes =
        session_.empty() ? NewFileModes{} : NewFileModes{.file = 0600, .folders = 0700};
    if (Status s = transaction_.Write(target_.path, target_.text, addition_.text, modes); !s) {
      return s.error();
    }
    if (target_.root.empty()) return Unit{};
    auto trust = ReadTrust(where_.home);
    if (!trust) return trust.error();
    Pin(trust->value, {target_.root, Sha256Hex(addition_.text)});
    return Save(*trust, transaction_);
  }

  // An entry that changes nothing is not kept: what stands against it is said instead.
  std::optional<Outcome> CheckResult() {
    if (Status s = ReadAgain(); !s) return Outcome(s.error());
    const auto after = JudgeWish(wish_, *policies_);
    if (!after) return Outcome(after.error());
    if (!*after || (*after)->verdict <= Wanted()) return {};
    const WishJudgement& judgement = **after;
    const bool is_denied = judgement.verdict == Verdict::kDeny;
    return Outcome::No({Error::Kind::kInvalidConfig, Quote(what_),
                        std::string(is_denied ? "an allow does not lift this denial: "
                                              : "an allow does not take this question away: ") +
                            (judgement.cause ? PlaceOf(*judgement.cause) : ""),
                        "change that rule if you mean it; nothing was changed"});
  }

  Outcome Report(const std::string& nothing) {
    const std::string shown = ShownPath(target_.path, where_);
    notes_.insert(notes_.end(), addition_.notes.begin(), addition_.notes.end());
    if (!session_.empty() && nothing.empty()) {
      notes_.push_back("it counts in the session " + session_ + " alone");
    }
    if (!taken_.empty()) notes_.push_back(taken_);
    if (nothing.empty()) {
      NoteHome();
      NoteMissing();
    }
    const bool is_confined = wish_.kind != WishKind::kTool && nothing.empty() && session_.empty();
    if (is_confined && HasRegistration()) {
      notes_.emplace_back(
          "commands in the client's sandbox have a list of their own; ringfence init"
          " carries the entry over");
    }
    if (options_.common.json) {
      PrintJson({{"policy", target_.path},
                 {"entry", nothing.empty() ? addition_.entry : ""},
                 {"lists", addition_.lists},
                 {"notes", notes_}});
      return 0;
    }
    const Console console;
    if (!nothing.empty()) {
      console.Line(Quote(what_) + " " + nothing + "; nothing was changed.");
      if (!taken_.empty()) console.Line("Note: " + taken_ + ".");
      return 0;
    }
    std::string lists;
    for (const std::string& list : addition_.lists) lists += (lists.empty() ? "" : " and ") + list;
    console.Line("Added " + Quote(addition_.entry) + " to " + lists + " of " + shown +
                 (target_.text ? "" : " (new)") +
                 (target_.root.empty() ? "." : ", trusted again."));
    for (const std::string& note : notes_) console.Line("Note: " + note + ".");
    return 0;
  }

  // A folder above all that the user has is said in words.
  void NoteHome() {
    if (wish_.path.empty() || wish_.is_pattern) return;
    const Path path = Path::Clean(wish_.path);
    const Path home = Path::Clean(where_.home);
    if (!home.IsInside(path)) return;
    const std::string what = path.is_root() ? "every file of this machine"
                             : path == home ? "every file of the home directory"
                                            : "every file of the home directory and beside it";
    notes_.push_back("this opens " + what + " for reading" +
                     (wish_.also_write ? " and writing" : "") + ", but for what rules deny");
  }

  void NoteMissing() {
    const bool may_be_made = wish_.also_write && !wish_.as_question && !wish_.is_pattern;
    if (wish_.path.empty() || !may_be_made || what_.ends_with('/')) return;
    if (::access(wish_.path.c_str(), F_OK) == 0 || errno != ENOENT) return;
    notes_.emplace_back(
        "it is not there: ringfence run makes a folder of that name; make the file first if it is "
        "to be one");
  }

  bool HasRegistration() const {
    const auto records = ReadRecords(where_.home);
    return records && !records->value.empty();
  }

  const AllowOptions& options_;
  std::string what_;   // what was named
  std::string taken_;  // how it was understood, where that needs to be said
  Whereabouts where_;
  std::string folder_;  // relative paths begin here
  std::string policy_option_;
  BorrowedProject borrowed_;
  std::optional<Policies> policies_;
  Wish wish_;
  Target target_;
  std::string session_;  // --session: what is permitted counts there alone
  std::string text_;     // of the policy, as it is
  PolicyAddition addition_;
  std::vector<std::string> notes_;
  Transaction transaction_;
};

}  // namespace

void AddAllow(Command& app, Action& chosen) {
  Command command = AddCommand(app, "allow", "Permit one path, host or tool more", kExamples);
  const auto options = std::make_shared<AllowOptions>();
  command.AddOption("what", options->what, "A path, a host (with :PORT or not) or a tool")
      .Type("PATH|HOST|TOOL");
  command.AddFlag("--read", options->read, "A path for reading only");
  command.AddFlag("--ask", options->ask, "Only with a question");
  command.AddFlag("--session", options->session,
                  "Only for the session that was refused it last, by the audit log");
  command.AddOption("--session-id", options->session_id, "Only for this session").Type("ID");
  command.AddOption("--as", options->kind, "What it is, where the name does not tell")
      .OneOf({"path", "host", "tool"})
      .Type("path|host|tool");
  command.AddOption("--project", options->project, "The project (default: around this folder)")
      .Type("DIR");
  command.AddOption("--policy", options->policy, "This policy file and no other").Type("FILE");
  AddCommonOptions(command, options->common);
  command.OnGiven([&chosen, options] { chosen = [options] { return Allowance(*options).Run(); }; });
}

}  // namespace ringfence
