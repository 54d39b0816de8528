#include "cli/trust.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/policies.h"
#include "cli/state.h"
#include "policy/load.h"
#include "policy/resolve.h"

namespace ringfence {
namespace {

struct TrustOptions {
  CommonOptions common;
  std::string project;
  bool list = false;
  bool remove = false;
};

constexpr const char* kExamples =
    "  ringfence trust              show this project's policy, and use all of it from now on\n"
    "  ringfence trust --list       what is trusted\n"
    "  ringfence trust --remove .   use only what it denies, asks about or narrows\n\n"
    "Trust is for the folder and the bytes of its policy: after any change it has to be given "
    "again.";

struct ProjectPolicy {
  std::string root;  // resolved
  std::string path;
  std::string text;
  std::string sha256;
  std::unique_ptr<PolicyFile> file;
};

// The lists of the file, as they were written: what trust would make count.
OrderedJson AllowLists(const Sections& sections) {
  OrderedJson lists = OrderedJson::object();
  const auto add = [&](const std::string& name, const auto& rules, auto text_of) {
    if (!rules) return;
    std::vector<std::string> texts;
    for (const auto& rule : *rules) {
      const std::string text(text_of(rule));
      if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    }
    lists[name] = texts;
  };
  const auto written = [](const PathRule& rule) { return rule.written(); };
  add("tools.allow", sections.tools.allow, [](const NameRule& rule) { return rule.pattern; });
  add("read.allow", sections.read.allow, written);
  add("write.allow", sections.write.allow, written);
  if (sections.network) {
    add("network.allow", sections.network->allow,
        [](const HostRule& rule) { return rule.written; });
  }
  return lists;
}

// What else a trusted file may do and an untrusted one may not.
std::vector<std::string> Powers(const PolicyFile& file) {
  std::vector<std::string> powers;
  if (file.root_is_git) powers.emplace_back("the root is the whole repository");
  if (file.sections.permitted == Permitted::kAllow) {
    powers.emplace_back("what it permits runs without the client's own question");
  }
  if (const auto& inbox = file.sections.alerts.inbox) {
    powers.push_back("alerts are written to " + Quote(*inbox));
  }
  if (file.audit.file) powers.push_back("the audit log is " + Quote(*file.audit.file));
  if (file.sections.say) powers.push_back("denials tell the agent: " + Quote(*file.sections.say));
  if (!file.profiles.empty()) {
    powers.push_back(std::to_string(file.profiles.size()) + " profiles of its own");
  }
  return powers;
}

// Quotes every entry, because a policy that came with a project may hold anything.
void PrintLists(const Console& console, const OrderedJson& lists, const std::string& indent) {
  for (const auto& [name, entries] : lists.items()) {
    std::string line = indent + name + ":";
    for (const OrderedJson& entry : entries) line += " " + Quote(entry.get<std::string>(), 80);
    console.Line(line);
  }
}

class TrustCommand {
 public:
  explicit TrustCommand(const TrustOptions& options) : options_(options) {}

  Outcome Run() {
    // A project that is gone can still be forgotten.
    const bool may_be_gone = options_.list || options_.remove;
    Result<Whereabouts> where = may_be_gone
                                    ? FindWhereabouts(options_.common.home, options_.project)
                                    : FindProject(options_.common.home, options_.project);
    if (!where) return where.error();
    where_ = *where;
    auto store = ReadTrust(where_.home);
    if (!store) return store.error();
    store_ = std::move(*store);
    if (options_.list) return List();
    if (options_.remove) return Remove();
    return Trust();
  }

 private:
  Outcome List() const {
    OrderedJson list = OrderedJson::array();
    const Console console;
    if (store_.value.empty() && !options_.common.json)
      console.Line("No project's policy is trusted.");
    for (const TrustedProject& project : store_.value) {
      const std::string state = StateOf(project);
      list.push_back({{"root", project.root}, {"sha256", project.sha256}, {"state", state}});
      if (!options_.common.json) console.Line(state + "  " + Printable(project.root));
    }
    if (options_.common.json) PrintJson({{"trusted", list}});
    return 0;
  }

  static std::string StateOf(const TrustedProject& project) {
    const Result<PolicyBytes> bytes = ReadPolicyBytes(ProjectPolicyPath(project.root));
    if (!bytes || bytes->missing) return "missing";
    return Sha256Hex(bytes->text) == project.sha256 ? "trusted" : "changed";
  }

  Result<std::string> Root() const {
    Result<Policies> policies = ReadPolicies({where_, "", ""});
    if (policies) return policies->places.root_real.text();
    // A policy that cannot be read is reported by ReadProject(), which knows more about it.
    if (policies.error().kind == Error::Kind::kUsage) return policies.error();
    return Path::Clean(where_.project).text();
  }

  Result<ProjectPolicy> ReadProject() const {
    Result<std::string> root = Root();
    if (!root) return root.error();
    ProjectPolicy project;
    project.root = *root;
    project.path = ProjectPolicyPath(project.root);
    Result<PolicyBytes> bytes = ReadPolicyBytes(project.path);
    if (!bytes) return bytes.error();
    if (bytes->missing) {
      return Error{Error::Kind::kInvalidConfig, project.path, "does not exist",
                   "write one with: ringfence init --project " + project.root};
    }
    project.text = bytes->text;
    project.sha256 = Sha256Hex(project.text);
    std::vector<Error> mistakes;
    project.file =
        LoadPolicy({project.text, project.path, ShownPath(project.path, where_), true}, mistakes);
    if (project.file == nullptr) return mistakes.front();
    return project;
  }

  Outcome Trust() {
    Result<ProjectPolicy> project = ReadProject();
    if (!project) return project.error();
    const bool is_new = !IsTrusted(store_.value, project->root, project->sha256);
    if (is_new) {
      Pin(store_.value, {project->root, project->sha256});
      Transaction transaction;
      if (Status s = Save(store_, transaction); !s) return s.error();
      transaction.Commit();
    }
    Report(*project, is_new);
    return 0;
  }

  void Report(const ProjectPolicy& project, bool is_new) const {
    const OrderedJson lists = AllowLists(project.file->sections);
    const std::vector<std::string> powers = Powers(*project.file);
    if (options_.common.json) {
      PrintJson({{"policy", project.path},
                 {"root", project.root},
                 {"sha256", project.sha256},
                 {"was_trusted", !is_new},
                 {"allows", lists},
                 {"powers", powers}});
      return;
    }
    const Console console;
    console.Line(console.In(Tone::kStrong, Printable(project.path)));
    console.Line("  sha256 " + project.sha256);
    PrintLists(console, lists, "  ");
    for (const Profile& profile : project.file->profiles) {
      console.Line("  profile " + Quote(profile.name, 80) + ":");
      PrintLists(console, AllowLists(profile.sections), "    ");
    }
    for (const std::string& power : powers) console.Line("  " + power);
    console.Line(is_new ? console.In(Tone::kGood, "Trusted") + " as it is now, for " +
                              Printable(project.root) + "."
                        : "Trusted already; nothing was changed.");
  }

  Outcome Remove() {
    // A project that is gone can still be taken out of the list, by its name.
    const Result<std::string> found = Root();
    const std::string root = found ? *found : where_.project;
    const size_t count =
        std::erase_if(store_.value, [&](const TrustedProject& p) { return p.root == root; });
    Transaction transaction;
    if (Status s = Save(store_, transaction); !s) return s.error();
    transaction.Commit();
    if (options_.common.json) {
      PrintJson({{"root", root}, {"removed", count > 0}});
    } else {
      Console().Line(count > 0 ? "Not trusted any more: " + Printable(root)
                               : Printable(root) + " was not trusted; nothing was changed.");
    }
    return 0;
  }

  const TrustOptions& options_;
  Whereabouts where_;
  StateFile<std::vector<TrustedProject>> store_;
};

}  // namespace

void AddTrust(Command& app, Action& chosen) {
  Command command = AddCommand(
      app, "trust", "Look at the policy that came with a project, and pin it", kExamples);
  const auto options = std::make_shared<TrustOptions>();
  command.AddOption("project", options->project, "The project's folder (default: this one)")
      .Type("DIR");
  const Option list = command.AddFlag("--list", options->list, "List what is trusted");
  command.AddFlag("--remove", options->remove, "Take the trust away again").Excludes(list);
  AddCommonOptions(command, options->common);
  command.OnGiven(
      [&chosen, options] { chosen = [options] { return TrustCommand(*options).Run(); }; });
}

}  // namespace ringfence
