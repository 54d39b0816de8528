#include "cli/explain/rule_list.h"

#include "base/text.h"
#include "policy/decision.h"

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

}  // namespace ringfence
