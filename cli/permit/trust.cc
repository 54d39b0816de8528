#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "agents/claude/agent.h"
#include "agents/claude/setup/agent_guard.h"
#include "base/regular_file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/command_line/options.h"
#include "cli/common/ask.h"
#include "cli/common/console.h"
#include "cli/common/policies.h"
#include "cli/common/state.h"
#include "cli/permit/policy_grants.h"
#include "policy/evaluate/fix.h"
#include "policy/files/real_files.h"
#include "policy/files/resolve.h"
#include "policy/load/load.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

struct TrustOptions {
  Registration given;
  bool json = false;
  std::string project;
  std::string digest;
  bool yes = false;
  bool list = false;
  bool remove = false;
};

constexpr const char* kTrustExamples =
    "  ringfence trust              show this project's policy, ask, and use all of it from now "
    "on\n"
    "  ringfence trust --yes --digest SHA256   without a question, if it is still that file\n"
    "  ringfence trust --list       what is trusted\n"
    "  ringfence trust --remove .   use only its denials, questions and narrower lists\n\n"
    "Trust is for the directory and the bytes of its policy: after any change, trust it "
    "again.";

struct ProjectPolicy {
  Places places;
  std::string root;  // resolved
  std::string path;
  std::string text;
  std::string sha256;
  std::unique_ptr<PolicyFile> file;
};

OrderedJson JsonOf(const std::vector<GrantText>& grants) {
  return JsonArray(grants, [](const GrantText& grant) -> OrderedJson {
    constexpr const char* kNames[] = {"high", "some", "none"};  // by Danger
    return {{"danger", kNames[static_cast<size_t>(grant.danger)]},
            {"key", grant.key},
            {"says", grant.says}};
  });
}

void PrintGrants(const Console& console, const std::vector<GrantText>& grants) {
  constexpr struct {
    Danger danger;
    const char* title;
  } kParts[] = {{Danger::kOpensAll, "It gives away most of what ringfence protects:"},
                {Danger::kOpensMore, "It permits more than the built-in policy:"},
                {Danger::kNone, "It also says:"}};
  for (const auto& [danger, title] : kParts) {
    bool is_first = true;
    for (const GrantText& grant : grants) {
      if (grant.danger != danger) continue;
      if (is_first && danger == Danger::kOpensAll) {
        console.Line(console.In(Tone::kBad, title));
      } else if (is_first) {
        console.Line(title);
      }
      is_first = false;
      console.Line("  " + grant.says);
    }
  }
  if (grants.empty()) console.Line("It adds nothing to the built-in policy.");
}

// Repeats the warning right above the question, because a long list scrolls it out of sight.
void RepeatDanger(const std::vector<GrantText>& grants) {
  const auto worst = std::ranges::count(grants, Danger::kOpensAll, &GrantText::danger);
  if (worst == 0) return;
  const Console console;
  console.Line(console.In(Tone::kBad, std::to_string(worst) + (worst == 1 ? " line" : " lines") +
                                          " at the top: most of what ringfence protects is given "
                                          "away."));
}

class TrustCommand {
 public:
  explicit TrustCommand(const TrustOptions& options) : options_(options) {}

  Outcome Run() {
    // --list and --remove also work for a project that no longer exists.
    const bool may_be_gone = options_.list || options_.remove;
    if (Status s = (may_be_gone ? FindRegistration(options_.given.home, options_.project)
                                : FindProject(options_.given.home, options_.project))
                       .MoveTo(where_);
        !s)
      return s.error();
    if (!options_.list) {
      if (Status s = RefuseAgent("trust"); !s) return Outcome::No(s.error());
      if (Status s = transaction_.Open(where_.home); !s) return s.error();
    }
    if (Status s = ReadTrust(where_.home).MoveTo(store_); !s) return s.error();
    if (options_.list) return List();
    if (options_.remove) return Remove();
    return Trust();
  }

 private:
  Outcome List() const {
    OrderedJson list = OrderedJson::array();
    const Console console;
    if (store_.value.empty() && !options_.json) console.Line("No project policy is trusted.");
    for (const TrustedProject& project : store_.value) {
      const std::string state = StateOf(project);
      list.push_back({{"root", project.root}, {"sha256", project.sha256}, {"state", state}});
      if (!options_.json) console.Line(state + "  " + Printable(project.root));
    }
    if (options_.json) PrintJson({{"trusted", list}});
    return 0;
  }

  static std::string StateOf(const TrustedProject& project) {
    const Result<FileBytes> bytes = ReadRegularFile(ProjectPolicyPath(project.root));
    if (!bytes || bytes->missing) return "missing";
    return Sha256Hex(bytes->text) == project.sha256 ? "trusted" : "changed";
  }

  Result<Places> FoundPlaces() const {
    Result<Context> context = FindTypedContext(where_, RealFiles());
    if (context) return std::move(context->places);
    // ReadProject() reports a policy that cannot be read, with more details.
    if (context.error().kind == Error::Kind::kUsage) return context.error();
    Places places{.agent = &ClaudeCode()};
    places.root = places.root_real = Path::Clean(where_.project_dir);
    places.homes = places.homes_real = {Path::Clean(where_.home)};
    return places;
  }

  Result<ProjectPolicy> ReadProject() const {
    Result<Places> places = FoundPlaces();
    if (!places) return places.error();
    ProjectPolicy project;
    project.places = *std::move(places);
    project.root = project.places.root_real.text();
    project.path = ProjectPolicyPath(project.root);
    Result<FileBytes> bytes = ReadRegularFile(project.path);
    if (!bytes) return bytes.error();
    if (bytes->missing) {
      return ConfigError(project.path, "does not exist",
                         "write one with: ringfence init --project " + ShellWord(project.root));
    }
    project.text = bytes->text;
    project.sha256 = Sha256Hex(project.text);
    std::vector<Error> mistakes;
    project.file = LoadPolicy(
        {project.text, project.path, ShownPath(project.path, where_), true, &ClaudeCode(), true},
        mistakes);
    if (project.file == nullptr) return mistakes.front();
    return project;
  }

  // Shows the bytes that were read, asks, and pins the digest of those bytes.
  Outcome Trust() {
    Result<ProjectPolicy> project = ReadProject();
    if (!project) return project.error();
    if (IsTrusted(store_.value, project->root, project->sha256)) return Report(*project, kAlready);
    if (!options_.digest.empty() && options_.digest != project->sha256) {
      return Outcome::No(ConfigError(
          project->path, "does not have the given digest; its sha256 is " + project->sha256,
          "the digest was mistyped, or the file is not the one that was read; nothing was trusted. "
          "Read it and take its digest from: ringfence trust"));
    }
    const bool is_meant = options_.yes && !options_.digest.empty();
    if (!is_meant) {
      if (Outcome asked = Ask(*project); asked.status != 0) return asked;
    }
    if (Status s = StillTheSame(*project); !s) return Outcome::No(s.error());
    Pin(store_.value, {project->root, project->sha256});
    if (Status s = Save(store_, transaction_); !s) return s.error();
    if (Status s = transaction_.Commit(); !s) return s.error();
    if (is_meant) return Report(*project, kPinned);
    Console().Line(PinnedLine(*project));
    return 0;
  }

  // Returns status 0 if the user has seen the policy and wants it.
  Outcome Ask(const ProjectPolicy& project) const {
    const Terminal terminal;
    Report(project, kNot);
    if (options_.json || !terminal.can_ask()) {
      return Outcome::No(UsageError("no terminal", "ringfence cannot ask, so nothing was trusted",
                                    "if you have read it, run: ringfence trust --yes --digest " +
                                        project.sha256 + ProjectWord(project)));
    }
    RepeatDanger(GrantsIn(project));
    const UserReply reply = terminal.Ask("Use all of it for this project?");
    if (reply == UserReply::kYes) return 0;
    Console().Line("Not trusted; nothing was changed.");
    return 1;
  }

  std::string ProjectWord(const ProjectPolicy& project) const {
    const std::string word = ShellWord(project.root);
    return options_.project.empty() || word.empty() ? "" : " " + word;
  }

  // The file may have changed while the user was reading it.
  Status StillTheSame(const ProjectPolicy& project) const {
    Result<FileBytes> now = ReadRegularFile(project.path);
    if (!now) return now.error();
    if (!now->missing && Sha256Hex(now->text) == project.sha256) return Unit{};
    return ConfigError(project.path, "was changed while it was shown; nothing was trusted",
                       "look at it again");
  }

  enum State { kNot, kPinned, kAlready };

  static std::string PinnedLine(const ProjectPolicy& project) {
    const Console console;
    return console.In(Tone::kGood, "Trusted") + " as it is now, for " + Printable(project.root) +
           ".";
  }

  std::vector<GrantText> GrantsIn(const ProjectPolicy& project) const {
    const RealFiles disk;
    const EntryScope reach(project.places, disk);
    GrantReader reader{reach};
    if (options_.json) reader.longest_list = std::numeric_limits<size_t>::max();
    return GrantsOf(*project.file, reader);
  }

  Outcome Report(const ProjectPolicy& project, State state) const {
    const std::vector<GrantText> grants = GrantsIn(project);
    if (options_.json) {
      PrintJson({{"policy", project.path},
                 {"root", project.root},
                 {"sha256", project.sha256},
                 {"is_trusted", state != kNot},
                 {"was_trusted", state == kAlready},
                 {"says", JsonOf(grants)}});
      return 0;
    }
    const Console console;
    console.Line(console.In(Tone::kStrong, Printable(project.path)));
    console.Line("  sha256 " + project.sha256);
    PrintGrants(console, grants);
    if (state == kPinned) console.Line(PinnedLine(project));
    if (state == kAlready) console.Line("Already trusted; nothing was changed.");
    return 0;
  }

  Outcome Remove() {
    // A project that no longer exists is removed by its path as given.
    const Result<Places> found = FoundPlaces();
    const std::string root = found ? found->root_real.text() : where_.project_dir;
    const size_t count =
        std::erase_if(store_.value, [&](const TrustedProject& p) { return p.root == root; });
    if (Status s = Save(store_, transaction_); !s) return s.error();
    if (Status s = transaction_.Commit(); !s) return s.error();
    if (options_.json) {
      PrintJson({{"root", root}, {"removed", count > 0}});
    } else {
      Console().Line(count > 0 ? "No longer trusted: " + Printable(root)
                               : Printable(root) + " was not trusted; nothing was changed.");
    }
    return 0;
  }

  const TrustOptions& options_;
  Registration where_;
  StateFile<std::vector<TrustedProject>> store_;
  FileTransaction transaction_;
};

}  // namespace

void AddTrust(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "trust", "Show the policy that came with a project, and trust it as it is",
                 kTrustExamples);
  const auto options = std::make_shared<TrustOptions>();
  command.AddOption("project DIR", options->project,
                    "The project's directory (default: the current one)");
  const Option list = command.AddFlag("--list", options->list, "List what is trusted");
  command.AddFlag("--remove", options->remove, "Stop trusting it").Excludes(list);
  command.AddOption("--digest SHA256", options->digest,
                    "Only if the file has this SHA-256, as ringfence trust shows it");
  command
      .AddFlag("--yes", options->yes,
               "Skip the question; --digest identifies the policy that you read")
      .Needs("--digest");
  AddCommonOptions(command, options->given, options->json);
  command.OnGiven(
      [&chosen, options] { chosen = [options] { return TrustCommand(*options).Run(); }; });
}

}  // namespace ringfence
