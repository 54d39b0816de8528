#include "cli/audit/matrix.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/add_once.h"
#include "base/environment.h"
#include "base/text.h"
#include "cli/audit/surroundings.h"
#include "cli/common/evaluator.h"
#include "policy/decision.h"
#include "policy/evaluate/evaluate_connection.h"
#include "policy/files/real_files.h"
#include "policy/sandbox_network.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

class EntryCollector {
 public:
  void Add(const Sections& sections) {
    AddLists(sections.tools,
             [](const NameRule& rule) { return EntryOf(rule.place, std::string(rule.pattern)); });
    const auto path = [](const PathRule& rule) { return EntryOf(rule.place(), rule.written()); };
    AddLists(sections.read, path);
    AddLists(sections.write, path);
    if (!sections.network) return;
    const auto host = [](const HostRule& rule) {
      return EntryOf(rule.place, std::string(rule.written));
    };
    AddList(sections.network->allow, host);
    AddList(sections.network->deny, host);
  }

  std::vector<RuleEntry> Take() { return std::move(entries_); }

 private:
  template <typename Rule, typename Entry>
  void AddLists(const RuleLists<Rule>& lists, Entry entry) {
    AddList(lists.allow, entry);
    AddList(lists.ask, entry);
    AddList(lists.deny, entry);
  }
  template <typename Rule, typename Entry>
  void AddList(const std::optional<std::vector<Rule>>& rules, Entry entry) {
    if (!rules) return;
    for (const Rule& rule : *rules) {
      RuleEntry one = entry(rule);
      // A set of hosts is in its list once for each host.
      if (entries_.empty() || entries_.back() != one) entries_.push_back(std::move(one));
    }
  }

  std::vector<RuleEntry> entries_;
};

CellResult Undecided(const Error& error, bool is_no_event = false) {
  CellResult result;
  result.is_no_event = is_no_event;
  result.reason = error.text();
  return result;
}

// Policy names that are valid on other machines: as on the command line, or relative to the
// project.
class FileNames {
 public:
  FileNames(const Column& column, const Places& places)
      : named_(column.policy), absolute_(named_.empty() ? "" : Absolute(named_)), places_(places) {}

  RulePlace Shown(RulePlace place) const {
    if (!named_.empty() && (place.file == absolute_ || IsTilde(place.file))) {
      place.file = named_;
    } else if (const std::optional<Path> path = Path::Parse(place.file)) {
      const auto below = path->Below(places_.root_real);
      if (below && !below->empty()) place.file.remove_prefix(place.file.size() - below->size());
    }
    return place;
  }

 private:
  // True if `file` is the policy with the home shortened to "~".
  bool IsTilde(std::string_view file) const {
    return file.starts_with("~/") && absolute_.ends_with(file.substr(1));
  }

  const std::string& named_;
  std::string absolute_;
  const Places& places_;
};

std::string WithoutLine(RulePlace place) {
  place.line = 0;
  return PlaceLabel(place);
}

CellResult CellResultOf(const Decision& decision, std::string_view say, const Trace& trace,
                        const FileNames& names) {
  CellResult result;
  result.decision = LoggedVerdictOf(decision.verdict);
  result.says_allow = decision.say_allow;
  result.paths = decision.paths;
  if (decision.cause) {
    result.reason = ReasonText(decision, say);
    if (decision.cause->place) {
      const RulePlace place = names.Shown(*decision.cause->place);
      result.rule = PlaceLabel(place);
      result.rule_place = WithoutLine(place);
    }
  }
  for (const RuleUse& use : trace.rules) {
    RuleEntry entry = EntryOf(names.Shown(use.place), use.written);
    AddOnce(result.met, entry);
  }
  return result;
}

std::string FixtureEventText(const Fixture& fixture, const Places& places) {
  if (fixture.has_cwd) return fixture.event;
  const bool is_empty = fixture.event == "{}";
  return "{\"cwd\":" + JsonString(places.root.text()) + (is_empty ? "" : ",") +
         fixture.event.substr(1);
}

// Decides fixtures, and caches the contexts that they share.
class Auditor {
 public:
  explicit Auditor(const AuditQuestion& question) : question_(question) {}

  // Reads all policies of the question, even those that no fixture uses.
  Status ReadPolicies() {
    for (const std::string& policy : question_.policies) {
      if (const auto context = SharedContext(policy); !context) return context.error();
    }
    return Unit{};
  }

  std::vector<Column> ColumnsFor(const Fixture& fixture) const {
    const bool is_own = !fixture.policies.empty();
    std::vector<std::string> policies = question_.policies;
    if (is_own || policies.empty()) policies = {""};
    std::vector<std::string> profiles = question_.profiles;
    if (fixture.profile) profiles = {*fixture.profile};
    if (profiles.empty()) profiles = {""};
    std::vector<Column> columns;
    for (const std::string& policy : policies) {
      for (const std::string& profile : profiles) columns.push_back({policy, profile, is_own});
    }
    return columns;
  }

  Result<CellResult> Decide(const Fixture& fixture, const Column& column) {
    const bool in_memory = fixture.files || question_.in_memory;
    PolicySources own;
    if (column.is_own) {
      if (Status s = SourcesOf(fixture).MoveTo(own); !s) return s.error();
      Note(own, FileNames(column, {}));
    }
    Places places;
    const PolicySources* sources = &own;
    if (!column.is_own || !in_memory) {
      const Result<const Context*> shared = SharedContext(column.policy);
      if (!shared) return shared.error();
      places = (*shared)->places;
      if (!column.is_own) sources = &(*shared)->sources;
    }
    MemoryFiles memory({});
    if (in_memory) {
      PutFiles(fixture, memory);
      Result<Places> described = PlacesOf(fixture, memory, *sources);
      if (!described) return Undecided(described.error());
      places = std::move(*described);
    }
    EventEvaluator evaluator(*sources, std::move(places), column.profile);
    return CellResultFor(fixture, column, evaluator,
                         in_memory ? static_cast<const FileView&>(memory) : disk_);
  }

  // Rejects a requested profile that none of the policies has, because it is misspelt. A profile
  // that a fixture names is not checked here: its expectations show a mistake.
  Status CheckProfiles(const std::vector<Column>& columns) const {
    for (const std::string& name : question_.profiles) {
      const bool is_used = std::ranges::find(columns, name, &Column::profile) != columns.end();
      if (name.empty() || !is_used || profiles_.contains(name)) continue;
      const std::vector<std::string_view> known(profiles_.begin(), profiles_.end());
      return UsageError("--profile",
                        "no policy has a profile " + Quote(name) + DidYouMean(Nearest(name, known)),
                        "name one of the profiles in the policy");
    }
    return Unit{};
  }

  std::vector<RuleEntry> TakeRules() { return std::move(rules_); }

 private:
  static CellResult CellResultFor(const Fixture& fixture, const Column& column,
                                  EventEvaluator& evaluator, const FileView& files) {
    if (fixture.connection) return ConnectionResultFor(*fixture.connection, column, evaluator);
    const Result<Event> event = evaluator.Read(FixtureEventText(fixture, evaluator.places()));
    if (!event) return Undecided(event.error(), true);
    Trace trace;
    const Result<EventEvaluator::Outcome> result =
        evaluator.Decide(*event, CachedFiles(files), &trace);
    if (!result) return Undecided(result.error());
    CellResult cell = CellResultOf(result->decision, result->policy->say, trace,
                                   FileNames(column, evaluator.places()));
    cell.tool = event->tool_name;
    return cell;
  }

  // A connection of a command's sandbox, as the egress proxy decides.
  static CellResult ConnectionResultFor(const FixtureConnection& connection, const Column& column,
                                        EventEvaluator& evaluator) {
    const Result<const Policy*> merged = evaluator.PolicyFor({});
    if (!merged) return Undecided(merged.error());
    Policy policy = **merged;
    policy.network = SandboxNetwork(policy, false);
    Trace trace;
    const HostDecision host = EvaluateConnection(connection.host, connection.port, policy, &trace);
    const Decision decision{.verdict = host.verdict, .cause = host.cause};
    CellResult cell =
        CellResultOf(decision, policy.say, trace, FileNames(column, evaluator.places()));
    cell.tool = "connection";
    return cell;
  }

  // Returns the context of the audited project on the disk.
  Result<const Context*> SharedContext(const std::string& policy) {
    if (const auto known = contexts_.find(policy); known != contexts_.end()) return &known->second;
    Registration options = question_.given;
    options.policy = policy;
    options.profile.clear();
    Result<Context> context = FindTypedContext(options, disk_);
    if (!context) return context.error();
    Note(context->sources, FileNames({policy, "", false}, context->places));
    return &contexts_.emplace(policy, std::move(*context)).first->second;
  }

  // Records the rules and profiles of policies in this audit.
  void Note(const PolicySources& sources, const FileNames& names) {
    for (const std::string_view profile : ProfilesIn(sources)) profiles_.emplace(profile);
    for (const PolicySource& source : sources.sources) {
      const RulePlace shown = names.Shown({.file = source.file->shown});
      for (RuleEntry& rule : RulesOf(*source.file)) {
        rule.file = shown.file;
        rules_.push_back(std::move(rule));
      }
    }
  }

  const AuditQuestion& question_;
  RealFiles disk_;
  std::map<std::string, Context> contexts_;
  std::vector<RuleEntry> rules_;
  std::set<std::string> profiles_;
};

bool IsPlace(const Expected& expected, const CellResult& result) {
  return expected.rule == result.rule || expected.rule == result.rule_place ||
         result.rule_place.ends_with(" " + expected.rule);
}

}  // namespace

std::string RuleEntry::label() const {
  return PlaceLabel({.file = file, .pointer = pointer, .line = line}) + " " + Quote(written);
}

RuleEntry EntryOf(const RulePlace& place, std::string written) {
  return {std::string(place.file), place.line, std::string(place.pointer), std::move(written)};
}

std::vector<RuleEntry> RulesOf(const PolicyFile& file) {
  EntryCollector collector;
  collector.Add(file.sections);
  for (const Profile& profile : file.profiles) collector.Add(profile.sections);
  return collector.Take();
}

std::string Column::label() const {
  std::string label = is_own ? "the fixture's policy" : policy.empty() ? "policy in force" : policy;
  if (!profile.empty()) label += ", profile " + profile;
  return label;
}

std::string Mismatch(const Expected& expected, const CellResult& result) {
  if (!expected.decision && result.is_no_event) return "it cannot be decided: " + result.reason;
  if (expected.decision.value_or(result.decision) != result.decision) {
    return "it should be " + Quote(VerdictName(*expected.decision)) + " and is " +
           Quote(VerdictName(result.decision));
  }
  if (!expected.rule.empty() && !IsPlace(expected, result)) {
    return "the rule should be " + Quote(expected.rule) + " and is " + Quote(result.rule);
  }
  if (result.reason.find(expected.reason) == std::string::npos) {
    return "the reason should contain " + Quote(expected.reason) + " and is " +
           Quote(result.reason);
  }
  if (expected.says_allow && *expected.says_allow != result.says_allow) {
    return result.says_allow ? "the answer is \"allow\", and should not be"
                             : "the answer should be \"allow\", and is not";
  }
  return "";
}

Result<Matrix> DecideAll(const AuditQuestion& question, std::vector<Fixture> fixtures,
                         const std::function<void()>& progress) {
  Auditor auditor(question);
  if (Status s = auditor.ReadPolicies(); !s) return s.error();
  Matrix matrix;
  for (Fixture& fixture : fixtures) {
    Row row;
    for (const Column& column : auditor.ColumnsFor(fixture)) {
      Result<CellResult> result = auditor.Decide(fixture, column);
      if (!result) return result.error();
      auto found = std::ranges::find(matrix.columns, column);
      if (found == matrix.columns.end()) found = matrix.columns.insert(found, column);
      Cell cell{static_cast<size_t>(found - matrix.columns.begin()), std::move(*result), ""};
      cell.mismatch = Mismatch(fixture.expected, cell.result);
      row.cells.push_back(std::move(cell));
    }
    row.fixture = std::move(fixture);
    matrix.rows.push_back(std::move(row));
    progress();
  }
  if (Status s = auditor.CheckProfiles(matrix.columns); !s) return s.error();
  matrix.rules = auditor.TakeRules();
  return matrix;
}

}  // namespace ringfence
