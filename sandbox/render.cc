#include "sandbox/render.h"

#include <nlohmann/json.hpp>

#include "base/joined.h"
#include "base/text.h"
#include "policy/rules/word_list.h"
#include "sandbox/environment.h"
#include "sandbox/seccomp_filter.h"

namespace ringfence {
namespace {

// Without their values, which may be secret.
std::vector<std::string> VariableNames(const SandboxPlan& plan) {
  std::vector<std::string> names;
  for (const std::string& variable : plan.environment) {
    names.push_back(variable.substr(0, variable.find('=')));
  }
  if (!plan.network.is_by_port()) return names;
  for (const std::string& name : ProxyVariableNames()) names.push_back(name);
  return names;
}

using Json = nlohmann::ordered_json;

std::string Bytes(uint64_t bytes) {
  constexpr std::string_view kUnits = "KMGT";
  size_t unit = 0;
  uint64_t value = bytes;
  while (unit < kUnits.size() && value >= 1024 && value % 1024 == 0) {
    value /= 1024;
    ++unit;
  }
  return std::to_string(value) + (unit == 0 ? "" : std::string(1, kUnits[unit - 1]));
}

std::string Number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::span<const CallName> AlsoAbsent(const SandboxPlan& plan) {
  const bool is_apart = plan.has_namespaces() || plan.is_nested;
  return is_apart ? std::span<const CallName>() : kCallsBeyondLandlock;
}

class TextPlan {
 public:
  explicit TextPlan(const SandboxPlan& plan) : plan_(plan) {}

  std::string Write() {
    Line("command  " + Joined(plan_.argv, " ", [](const std::string& w) { return Quote(w); }));
    Line("directory " + Quote(plan_.cwd.text()));
    Line("mode      " + std::string(ModeName(plan_.mode)) + ", layers " +
         std::string(LayersName(plan_.layers)) +
         (plan_.profile.empty() ? "" : ", profile " + Quote(plan_.profile)));
    if (plan_.is_confined()) {
      if (plan_.is_staged()) Stage();
      Files();
      Rest();
    }
    for (const std::string& note : plan_.weaker) Line("weaker    " + Printable(note));
    return std::move(text_);
  }

 private:
  void Line(const std::string& line) { text_ += line + "\n"; }

  void Path(const char* what, const std::string& path, const std::string& why) {
    Line(std::string(what) + Quote(path, 4096) + (why.empty() ? "" : "  # " + Printable(why)));
  }

  void Stage() {
    const PlannedStage& stage = plan_.stage;
    std::string text = "stage     " + std::string(MechanismName(stage.mechanism));
    if (!stage.why_copy.empty()) text += ", because " + Printable(stage.why_copy);
    if (stage.is_elsewhere) text += "; the command runs in the copy";
    if (stage.memory > 0) text += ", at most " + Bytes(stage.memory) + " in memory";
    Line(text);
  }

  void Writable(const PlannedPlace& place) {
    Path(place.make ? "  make    " : "  write   ", place.path.text(),
         place.why + (place.is_own() ? ", empty and the sandbox's own" : "") +
             (place.is_staged() ? ", changes go to the stage" : "") +
             (place.is_part ? ", but only the names listed as \"only\" below" : ""));
  }

  void Files() {
    Line(plan_.reads_all ? "reads     everything but what is hidden" : "reads     what is listed");
    for (const PlannedPlace& place : plan_.readable)
      Path("  read    ", place.path.text(), place.why);
    for (const PlannedPlace& place : plan_.writable) {
      Writable(place);
    }
    for (const SavedFile& file : plan_.saved) {
      Path("  save    ", file.path.text(), file.why + ", with NAME.* beside it");
    }
    for (const PlannedCache& cache : plan_.caches) {
      Path("  copy    ", cache.path.text(), "a cache: what is written stays in the sandbox");
    }
    for (const PlannedPlace& place : plan_.sealed) Path("  sealed  ", place.path.text(), place.why);
    for (const HiddenPlace& place : plan_.hidden) {
      Path("  hidden  ", place.path.text(), place.why);
      for (const ringfence::Path& kept : place.kept) Path("    but   ", kept.text(), "");
    }
    for (const ringfence::Path& socket : plan_.sockets) {
      Path("  hidden  ", socket.text(), "a program of the host listens there");
    }
    Names();
    if (plan_.has_view()) {
      Line(plan_.private_tmp ? "private   /tmp /run /dev /proc" : "private   /run /dev /proc");
    } else if (!plan_.scratch.is_root()) {
      Path("private   ", plan_.scratch.text(), "$TMPDIR");
    }
    if (!plan_.session_tmp.is_root()) {
      Path("  kept    ", plan_.session_tmp.text(), "the session's temporary files");
    }
  }

  void Names() {
    Line("names     " + std::to_string(plan_.names.rules().size()) +
         " rules; whether or not they exist, these may not be made, changed, moved or removed:");
    std::string stores = ", or it is in a package";
    for (const std::string& store : plan_.names.package_stores()) stores += " of " + Quote(store);
    for (const GuardedName& rule : plan_.names.rules()) {
      Path("  refuse  ", rule.text(),
           rule.why + (rule.unless_new ? ", unless this run made the repository" : "") +
               (rule.comes_whole ? ", unless git saves it with harmless content" : "") +
               (rule.not_in_stores ? stores : ""));
    }
    for (const std::vector<GuardedName>& list : plan_.names.allow_only()) {
      const auto name = [](const GuardedName& n) { return " " + Quote(n.text()); };
      Line("  only    one of:" + Joined(list, "", name));
    }
  }

  void Rest() {
    Line("network   " + Network());
    const PlannedLimits& limits = plan_.limits;
    std::string text = "limits    " + std::to_string(limits.processes) + " processes";
    if (limits.memory) text += ", " + Bytes(*limits.memory) + " memory";
    if (limits.cpus) text += ", " + Number(*limits.cpus) + " processors";
    if (limits.io) text += ", " + Bytes(*limits.io) + "/s";
    if (!limits.cgroup.empty()) text += ", by a cgroup below " + Quote(limits.cgroup) + " with";
    for (const std::string& controller : limits.controllers) text += " " + Printable(controller);
    Line(text);
    Calls("refused", kRefusedCalls);
    Calls("absent", kAbsentCalls);
    if (!AlsoAbsent(plan_).empty()) Calls("absent", AlsoAbsent(plan_));
    Calls("checked", kSupervisedCalls);
    Line("environment" + Joined(VariableNames(plan_), "",
                                [](const std::string& name) { return " " + Printable(name); }));
  }

  std::string Network() const {
    if (plan_.is_nested) return "as the sandbox around has it";
    if (plan_.network.is_hosts()) return "the host's";
    if (plan_.network.is_by_port()) {
      return "the hosts that the policy permits, for programs that use the egress proxy of "
             "HTTPS_PROXY and the like; no other socket";
    }
    if (plan_.network.is_proxied())
      return "the hosts that the policy permits, through the egress proxy";
    return plan_.has_namespaces() ? "its own loopback only" : "none, and no sockets";
  }

  void Calls(const char* what, std::span<const CallName> calls) {
    std::string line = std::string("calls     ") + what + ":";
    for (const CallName& call : calls) line += " " + std::string(call.name);
    Line(line);
  }

  const SandboxPlan& plan_;
  std::string text_;
};

Json PlaceJson(const PlannedPlace& place) {
  Json json;
  json["path"] = place.path.text();
  json["kind"] = place.kind == PlannedPlace::Kind::kDirectory ? "directory" : "file";
  if (place.make) json["make"] = true;
  if (place.is_own()) json["own"] = true;
  if (place.is_staged()) json["staged"] = true;
  if (!place.why.empty()) json["why"] = place.why;
  return json;
}

Json PlacesJson(const std::vector<PlannedPlace>& places) {
  Json json = Json::array();
  for (const PlannedPlace& place : places) json.push_back(PlaceJson(place));
  return json;
}

Json WritableJson(const std::vector<PlannedPlace>& places) {
  Json json = PlacesJson(places);
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].is_part) json[i]["only_names"] = true;
  }
  return json;
}

Json HiddenJson(const SandboxPlan& plan) {
  Json json = Json::array();
  for (const HiddenPlace& place : plan.hidden) {
    Json hidden;
    hidden["path"] = place.path.text();
    for (const Path& kept : place.kept) hidden["kept"].push_back(kept.text());
    hidden["why"] = place.why;
    json.push_back(std::move(hidden));
  }
  return json;
}

Json NamesJson(const GuardedNames& names) {
  Json json = Json::array();
  for (const GuardedName& rule : names.rules()) {
    Json name;
    name["name"] = rule.text();
    if (!rule.except.empty()) name["except"] = WordList(rule.except).Joined(", ");
    if (rule.holds_root) name["holds_root"] = true;
    if (rule.unless_new) name["unless_new"] = true;
    if (rule.comes_whole) name["comes_whole"] = true;
    if (rule.not_in_stores) name["not_below"] = names.package_stores();
    name["why"] = rule.why;
    json.push_back(std::move(name));
  }
  return json;
}

Json StageJson(const PlannedStage& stage) {
  Json json;
  json["mechanism"] = MechanismName(stage.mechanism);
  if (!stage.why_copy.empty()) json["why"] = stage.why_copy;
  if (stage.is_elsewhere) json["elsewhere"] = true;
  for (const Path& mount : stage.mounts) json["mounts"].push_back(mount.text());
  if (stage.memory > 0) json["memory"] = stage.memory;
  return json;
}

Json LimitsJson(const PlannedLimits& limits) {
  Json json;
  json["processes"] = limits.processes;
  if (limits.memory) json["memory"] = *limits.memory;
  if (limits.cpus) json["cpus"] = *limits.cpus;
  if (limits.io) json["io"] = *limits.io;
  if (limits.cgroup.empty()) return json;
  json["cgroup"] = limits.cgroup;
  json["controllers"] = limits.controllers;
  if (limits.is_by_cgroup("io")) json["disks"] = limits.disks;
  return json;
}

Json CallsJson(std::initializer_list<std::span<const CallName>> lists) {
  Json json = Json::array();
  for (const std::span<const CallName> list : lists) {
    for (const CallName& call : list) json.push_back(call.name);
  }
  return json;
}

Json AllCallsJson(const SandboxPlan& plan) {
  return {{"refused", CallsJson({kRefusedCalls})},
          {"absent", CallsJson({kAbsentCalls, AlsoAbsent(plan)})},
          {"supervised", CallsJson({kSupervisedCalls})}};
}

}  // namespace

std::string PlanText(const SandboxPlan& plan) { return TextPlan(plan).Write(); }

std::string PlanJson(const SandboxPlan& plan) {
  Json json;
  json["command"] = plan.argv;
  json["directory"] = plan.cwd.text();
  json["root"] = plan.root.text();
  json["mode"] = ModeName(plan.mode);
  json["layers"] = LayersName(plan.layers);
  if (!plan.profile.empty()) json["profile"] = plan.profile;
  if (plan.is_confined()) {
    if (plan.is_staged()) json["stage"] = StageJson(plan.stage);
    json["reads"] = plan.reads_all ? "all" : "listed";
    json["readable"] = PlacesJson(plan.readable);
    json["writable"] = WritableJson(plan.writable);
    for (const SavedFile& file : plan.saved) {
      json["saved"].push_back({{"path", file.path.text()}, {"why", file.why}});
    }
    for (const PlannedCache& cache : plan.caches) json["caches"].push_back(cache.path.text());
    json["sealed"] = PlacesJson(plan.sealed);
    json["hidden"] = HiddenJson(plan);
    json["hidden_sockets"] = Json::array();
    for (const Path& socket : plan.sockets) json["hidden_sockets"].push_back(socket.text());
    json["refused_names"] = NamesJson(plan.names);
    for (const std::vector<GuardedName>& list : plan.names.allow_only()) {
      Json names = Json::array();
      for (const GuardedName& name : list) names.push_back(name.text());
      json["only_names"].push_back(std::move(names));
    }
    json["private_tmp"] = plan.private_tmp;
    if (!plan.session_tmp.is_root()) json["session_tmp"] = plan.session_tmp.text();
    json["network"] = NetworkName(plan);
    json["limits"] = LimitsJson(plan.limits);
    json["calls"] = AllCallsJson(plan);
    json["environment"] = VariableNames(plan);
  }
  json["weaker"] = plan.weaker;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ringfence
