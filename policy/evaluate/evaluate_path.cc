#include "policy/evaluate/evaluate_path.h"

#include <algorithm>

#include "base/case_fold.h"
#include "base/contains.h"
#include "base/short_name.h"
#include "base/text.h"
#include "policy/agent.h"
#include "policy/evaluate/fix.h"
#include "policy/evaluate/text_kind.h"
#include "policy/files/first_names.h"
#include "policy/files/git_files.h"
#include "policy/load/sources.h"

namespace ringfence {
namespace {

// The remedy for a relative path that is refused from one directory but permitted from another: no
// command would be enough.
constexpr std::string_view kUseAbsolute =
    "Use an absolute path: a relative one may be looked up in several directories.";

// The same for "~" if HOME is not the home in /etc/passwd.
constexpr std::string_view kNameHome =
    "Use an absolute path: HOME and /etc/passwd name different homes, and \"~\" may mean either.";

void KeepWorst(PathDecision& worst, PathDecision decision) {
  worst.ends.insert(worst.ends.end(), decision.ends.begin(), decision.ends.end());
  if (decision.verdict <= worst.verdict) return;
  worst.verdict = decision.verdict;
  worst.cause = std::move(decision.cause);
}

bool IsDevice(FileKind kind) {
  return kind == FileKind::kBlockDevice || kind == FileKind::kCharacterDevice;
}

}  // namespace

std::optional<std::string_view> RefusedSpecialName(const Path& path) {
  const std::string folded = FoldName(path.text());
  const auto inside = [&folded](std::string_view folder) { return Covers(folder, folded); };
  if (inside("/proc") || inside("/.vol")) {
    return "paths below /proc mean something else in every process";
  }
  if (!inside("/dev")) return {};
  constexpr WordList kHarmless("/dev\n/dev/null\n/dev/zero\n/dev/random\n/dev/urandom\n");
  if (kHarmless.Contains(folded) || inside("/dev/shm")) return {};
  return "it is a device, not a file";
}

// Applies the deny rules to every name that the walk reaches, unless they were applied to it
// before.
class PathEvaluator::Guard final : public NameGuard {
 public:
  Guard(const PathEvaluator& evaluator, const Question& question, Path asked)
      : evaluator_(evaluator), question_(question), asked_(std::move(asked)) {}

  bool Refuses(const Path& path) const override {
    if (asked_.IsInside(path)) return false;
    cause_ = evaluator_.DeniedByName(question_, path, PathRole::kAncestor);
    return cause_.has_value();
  }
  const std::optional<Cause>& cause() const { return cause_; }

 private:
  const PathEvaluator& evaluator_;
  const Question& question_;
  Path asked_;
  mutable std::optional<Cause> cause_;
};

PathEvaluator::PathEvaluator(const Policy& policy, const Places& places, const Event& event,
                             const CachedFiles& files)
    : policy_(policy),
      places_(places),
      files_(files),
      mode_(event.permission_mode),
      in_sandbox_(event.in_sandbox),
      matcher_(policy, places, event.session_id, files) {
  if (policy.agent->tools.ReachesMcpServer(event.tool_name)) {
    folders_ = ServerFolders(StartOf(places), event.cwd.value_or(""));
  } else if (event.cwd) {
    folders_ = {*event.cwd};
  }
}

void PathEvaluator::Record(Trace& trace) {
  trace_ = &trace;
  matcher_.Record(trace.rules);
}

const PathRules& PathEvaluator::RulesFor(Access access) const {
  return access == Access::kRead ? policy_.read : policy_.write;
}

const ProtectedPaths& PathEvaluator::Protected() const {
  if (!protected_) protected_.emplace(places_, files_);
  return *protected_;
}

std::vector<std::string> PathEvaluator::Starts(std::string_view text) const {
  std::vector<std::string> starts;
  if (text[0] == '/') {
    starts.emplace_back(text);
  } else if (text[0] == '~') {
    for (const Path& home : places_.homes) {
      starts.push_back(home.text() + std::string(text.substr(1)));
    }
  } else {
    for (const std::string& folder : folders_) starts.push_back(folder + "/" + std::string(text));
  }
  return starts;
}

PathDecision PathEvaluator::Evaluate(std::string_view text, Access access, std::string_view verb,
                                     std::string_view field) const {
  return EvaluateText({text, access, verb}, field);
}

PathDecision PathEvaluator::EvaluateReadLists(std::string_view text, std::string_view field) const {
  return EvaluateText({text, Access::kRead, "read of", true}, field);
}

PathDecision PathEvaluator::EvaluateText(const Question& question, std::string_view field) const {
  const std::string_view text = question.text;
  PathTrace trace{.field = std::string(field),
                  .text = std::string(text),
                  .access = question.access,
                  .readings = {}};
  PathDecision worst;
  if (const auto why = RefusedText(text)) {
    worst = {Verdict::kDeny, PlainCause(question, std::string(*why))};
  } else if (const auto starts = Starts(text); starts.empty()) {
    worst = {Verdict::kDeny,
             PlainCause(question, text[0] == '~' ? "no home directory is known"
                                                 : "it is relative, and the event has no cwd")};
  } else {
    bool is_permitted = false;  // from one of the directories
    for (size_t i = 0; i < starts.size(); ++i) {
      Question from = question;
      const bool is_other_home = text[0] == '~' && !MayAllowBelow(places_, places_.homes[i]);
      if (is_other_home) from.homes = TildeHomes::kEvery;
      PathDecision decision = EvaluateStart(from, starts[i], trace.readings);
      is_permitted |= decision.verdict != Verdict::kDeny;
      KeepWorst(worst, std::move(decision));
    }
    const bool is_mixed = is_permitted && worst.verdict == Verdict::kDeny;
    if (is_mixed && text[0] != '~') worst.cause->remedy = kUseAbsolute;
    if (is_mixed && text[0] == '~' && !places_.deny_only_homes.empty()) {
      worst.cause->remedy = kNameHome;
    }
  }
  trace.verdict = worst.verdict;
  if (trace_ != nullptr) trace_->paths.push_back(std::move(trace));
  return worst;
}

// Evaluates each reading of an absolute text: two if it contains "..", and one more if a name ends
// in a dot.
PathDecision PathEvaluator::EvaluateStart(const Question& question, const std::string& start,
                                          std::vector<PathTrace::Reading>& readings) const {
  PathDecision worst;
  const auto read = [&](std::string_view name, const std::string& text) {
    PathTrace::Reading& reading = readings.emplace_back(PathTrace::Reading{name, text, {}, {}});
    KeepWorst(worst, EvaluateReading(question, reading));
  };
  const std::string lexical = Path::Clean(start).text();
  read("lexical", lexical);
  // The project keeps its name: the client was started under it.
  std::string_view project = places_.root.text();
  if (!Covers(project, lexical)) project = places_.root_real.text();
  const size_t kept = Covers(project, lexical) ? project.size() : 0;
  const std::string on_fat = lexical.substr(0, kept) + WithoutFinalDots(lexical.substr(kept));
  if (on_fat != lexical) read("on FAT", on_fat);
  if (HasDotDot(start)) read("physical", start);
  return worst;
}

PathDecision PathEvaluator::EvaluateReading(const Question& question,
                                            PathTrace::Reading& reading) const {
  const Path named = Path::Clean(reading.start);
  if (auto cause = DeniedByName(question, named, PathRole::kTarget)) {
    reading.end = named;  // no link was followed
    return {Verdict::kDeny, std::move(cause), {named}};
  }
  const Guard guard(*this, question, named);
  const Walked walked = Walk(reading.start, files_, &guard);
  reading.steps = walked.steps;
  reading.end = walked.end;
  switch (walked.stop) {
    case Walked::Stop::kEnd:
      return EvaluateEnd(question, named, walked);
    case Walked::Stop::kRefused: {
      Cause cause = *guard.cause();
      cause.why = "it leads to " + Quote(walked.end.text()) + ", " + cause.why;
      return {Verdict::kDeny, std::move(cause), {walked.end}};
    }
    case Walked::Stop::kLoop:
      return {Verdict::kDeny, PlainCause(question, "too many links follow each other")};
    case Walked::Stop::kTooLong:
      return {Verdict::kDeny, PlainCause(question, "it is longer than a path can be")};
    case Walked::Stop::kUnreadable:
      break;
  }
  return {Verdict::kDeny,
          PlainCause(question, "where it leads cannot be seen (" +
                                   Printable(walked.error ? walked.error->what : "") + ")")};
}

// Decides by the text of a name only and accesses no file.
std::optional<Cause> PathEvaluator::DeniedByName(const Question& question, const Path& path,
                                                 PathRole role) const {
  if (const auto why = RefusedSpecialName(path)) return PlainCause(question, std::string(*why));
  if (question.access == Access::kWrite) {
    const bool is_ancestor = role == PathRole::kAncestor;
    const auto found = is_ancestor ? Protected().Covers(path) : Protected().RefusesName(path);
    if (found) return ProtectedCause(question, *found);
  }
  const PathRuleList& rules = RulesFor(question.access).deny;
  const RuleHit hit = matcher_.MatchesName(rules, question.access, path, role);
  if (hit) return RuleCause(question, hit, "denied");
  return {};
}

// Returns a hit if the rules contain @runs-later and the write creates or changes a repository.
RuleHit PathEvaluator::MakesRunLater(const PathRuleList& rules, const Walked& walked) const {
  for (const std::span<const PathRule> list : rules) {
    const auto rule = std::ranges::find(list, SetName::kRunsLater, &PathRule::set);
    if (rule == list.end()) continue;
    if (!MakesRepository(walked, files_)) return {};
    return {&*rule, "a new or a bare repository"};
  }
  return {};
}

std::optional<Cause> PathEvaluator::DeniedAtEnd(const Question& question, const Path& named,
                                                const Walked& walked) const {
  if (walked.end != named) {
    if (auto cause = DeniedByName(question, walked.end, PathRole::kTarget)) return cause;
  }
  // The harmless devices below /dev were already permitted by name.
  if (IsDevice(walked.facts.kind) && !walked.end.IsInside(Path::Clean("/dev"))) {
    return PlainCause(question, "it is a device, not a file");
  }
  const PathRuleList& rules = RulesFor(question.access).deny;
  RuleHit hit = matcher_.MatchesThroughLinks(rules, question.access, walked.end);
  if (!hit && question.access == Access::kWrite) hit = MakesRunLater(rules, walked);
  if (hit) return RuleCause(question, hit, "denied");
  if (question.access == Access::kRead) return {};
  if (const auto found = Protected().RefusesTarget(walked)) return ProtectedCause(question, *found);
  return {};
}

// Returns the place of the allow list that does not cover the path. If several do not, returns the
// last one: no command adds to that list, and adding to the first alone would not help.
std::optional<RulePlace> PathEvaluator::MissingList(const Question& question,
                                                    const Path& end) const {
  const auto lists = matcher_.ListsNotCovering(RulesFor(question.access).allow, question.access,
                                               end, question.homes);
  if (lists.empty()) return {};
  const auto has_place = [](const PathRuleList* list) {
    return !list->empty() && !list->front().empty();
  };
  const auto last = std::find_if(lists.rbegin(), lists.rend(), has_place);
  return last == lists.rend() ? RulePlace() : (*last)->front().front().place();
}

std::optional<Cause> PathEvaluator::Outside(const Question& question, const Path& named,
                                            const Walked& walked) const {
  if (question.only_lists) return {};
  const std::optional<RulePlace> missing = MissingList(question, walked.end);
  if (!missing) return {};
  Cause cause = PlainCause(question, "outside the project");
  if (walked.end != named) {
    cause.why = "it leads to " + Quote(walked.end.text()) + ", outside the project";
  }
  if (walked.end.IsInside(places_.root_real)) cause.why = "not in the list of what is allowed";
  cause.place = missing;
  const bool can_allow = AllowChanges(*missing);
  if (can_allow) cause.remedy = WiderRoot(walked.end);
  if (cause.remedy.empty()) {
    const bool asks = can_allow && AllowingLeavesQuestion(question, named, walked);
    cause.remedy =
        PathFix({walked, question.access, *missing, *policy_.agent, asks, mode_, in_sandbox_},
                policy_, places_);
  }
  return cause;
}

// True if a question remains after `ringfence allow`, which permits reads together with writes.
bool PathEvaluator::AllowingLeavesQuestion(const Question& question, const Path& named,
                                           const Walked& walked) const {
  Question read = question;
  read.access = Access::kRead;
  return Asks(question, named, walked) || Asks(read, named, walked);
}

// Returns the remedy if the client was started in one part of a repository and the file is in
// another part.
std::string PathEvaluator::WiderRoot(const Path& end) const {
  if (end.IsInside(places_.root_real) || places_.homes.empty()) return "";
  const std::optional<Path> repository = RepositoryAround(places_, files_);
  if (!repository || !end.IsInside(*repository)) return "";
  const std::vector<Path> usual = UsualPolicyPlaces(places_);
  for (const Path& policy : places_.policies) {  // with --policy, the user's own is ignored
    if (!Contains(usual, policy)) return "";
  }
  return "To work on the whole repository " + Quote(repository->text()) +
         ", ask the user to add \"root\": \"git\" to ~/.config/ringfence/policy.json.";
}

std::optional<Cause> PathEvaluator::Asks(const Question& question, const Path& named,
                                         const Walked& walked) const {
  const PathRuleList& rules = RulesFor(question.access).ask;
  RuleHit hit = matcher_.MatchesName(rules, question.access, named);
  const bool by_name = static_cast<bool>(hit);
  if (!hit && walked.end != named) {
    hit = matcher_.MatchesName(rules, question.access, walked.end);
  }
  if (!hit) hit = matcher_.MatchesThroughLinks(rules, question.access, walked.end);
  if (!hit && question.access == Access::kWrite) hit = MakesRunLater(rules, walked);
  if (hit) return AskCause(question, hit, by_name);
  if (question.access == Access::kRead) return {};
  if (walked.facts.kind != FileKind::kFile || walked.facts.links < 2) return {};
  if (IsInPackageStore(walked.end, policy_.package_stores)) return {};
  return PlainCause(question, "it has " + std::to_string(walked.facts.links) +
                                  " hard links, so a file of another name changes with it");
}

PathDecision PathEvaluator::EvaluateEnd(const Question& question, const Path& named,
                                        const Walked& walked) const {
  auto cause = DeniedAtEnd(question, named, walked);
  const bool may_be_elsewhere = !cause && MayBeElsewhere(walked.end);
  if (may_be_elsewhere) cause = DeniedElsewhere(question, walked.end);
  if (!cause) cause = Outside(question, named, walked);
  if (cause) return {Verdict::kDeny, std::move(cause), {walked.end}};
  auto asked = Asks(question, named, walked);
  if (!asked && may_be_elsewhere) asked = AsksElsewhere(question, walked.end);
  if (asked) return {Verdict::kAsk, std::move(asked), {walked.end}};
  return {Verdict::kPermit, {}, {walked.end}};
}

// Returns the repositories of the directory that the client was started in and of the session's
// current one.
std::vector<Path> PathEvaluator::WorktreeRepositories() const {
  std::vector<Path> found{MainRepositoryOf(StartOf(places_), files_)};
  for (const std::string& folder : folders_) {
    const Walked walked = Walk(folder, files_);
    if (walked.stop != Walked::Stop::kEnd) {
      found.push_back(Path::Clean(folder));  // this path is refused for the same reason
      continue;
    }
    const Path own = MainRepositoryOf(walked.end, files_);
    const FileKind git = files_.KindOr(FileKind::kDirectory, own.Child(".git"));
    const bool is_repository = git != FileKind::kMissing;
    if (own != found.front() && (own != walked.end || is_repository)) found.push_back(own);
  }
  return found;
}

bool PathEvaluator::MayBePath(std::string_view text) const {
  if (HasDotDot(text)) return true;
  const std::string_view first = TakeComponent(text);
  return std::ranges::any_of(folders_, [&](const std::string& folder) {
    const Path path = Path::Clean(folder).Child(first);
    return files_.KindOr(FileKind::kFile, path) != FileKind::kMissing;
  });
}

std::optional<Cause> PathEvaluator::MeetsDenied(const Path& folder, std::string_view verb) const {
  RuleHit hit = matcher_.MatchesBelow(policy_.read.deny, Access::kRead, folder);
  if (!hit) hit = matcher_.MatchesBelowOtherNames(policy_.read.deny, Access::kRead, folder);
  if (!hit) return {};
  Cause cause =
      RuleCause({folder.text(), Access::kRead, verb}, hit, "it would search what is denied");
  cause.remedy = "Search a directory without it.";
  return cause;
}

}  // namespace ringfence
