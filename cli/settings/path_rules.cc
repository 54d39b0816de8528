#include "cli/settings/path_rules.h"

#include <algorithm>
#include <deque>
#include <span>

#include "base/text.h"
#include "policy/pattern.h"
#include "policy/sets.h"

namespace ringfence {
namespace {

void AddOnce(std::vector<std::string>& texts, const std::string& text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

// The client's patterns are those of .gitignore lines, and it reads "[!a]" and "[[:digit:]]" in
// another way than git.
bool HasClass(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '[') {
      return true;
    }
  }
  return false;
}

struct Entry {
  RuleBase base = RuleBase::kRoot;
  std::string tail;
};

class RuleWriter {
 public:
  RuleWriter(const Policy& policy, const Places& places) : policy_(policy) {
    context_.root = places.root_real;
    context_.user = places.user;
    context_.macos_names = places.macos_names;
    context_.homes = places.homes;
    AddOnce(roots_, EscapePattern(places.root_real.text()));
    AddOnce(roots_, EscapePattern(places.root.text()));
  }

  PathRulesOfClient Run() {
    for (const Entry& entry : Entries(policy_.read.deny, Access::kRead)) {
      for (const std::string& path : PathsOf(entry)) AddOnce(rules_.deny, "Read(" + path + ")");
    }
    for (const Entry& entry : Entries(policy_.write.deny, Access::kWrite)) {
      AddOnce(rules_.deny, "Edit(" + PathsOf(entry).front() + ")");
    }
    for (const Entry& entry : Entries(policy_.read.ask, Access::kRead)) {
      AddOnce(rules_.ask, "Read(" + PathsOf(entry).front() + ")");
    }
    NoteLimits();
    return std::move(rules_);
  }

 private:
  std::vector<Entry> Entries(const PathRuleList& lists, Access access) {
    std::vector<Entry> entries;
    for (const std::span<const PathRule> list : lists) {
      for (const PathRule& rule : list) {
        if (rule.set != SetName::kNone) {
          AddSet(rule.set, access, entries);
        } else if (rule.has_pattern || rule.base == RuleBase::kAnywhere) {
          Add({rule.base, std::string(rule.tail)}, rule.written(), entries);
        }
      }
    }
    return entries;
  }

  void AddSet(SetName set, Access access, std::vector<Entry>& entries) {
    std::deque<std::string> strings;
    for (const SetEntry& entry : ExpandSet(set, access, context_, strings)) {
      if (!entry.has_pattern && entry.base != RuleBase::kAnywhere) continue;
      if (!entry.except.empty() || !entry.owned_folder.empty() || entry.not_in_stores ||
          entry.holds_root) {
        AddOnce(lost_, std::string(SetText(set)) + ": " + entry.text());
        continue;
      }
      Add({entry.base, std::string(entry.tail)}, entry.text(), entries);
    }
  }

  void Add(Entry entry, const std::string& written, std::vector<Entry>& entries) {
    if (HasClass(entry.tail)) {
      AddOnce(lost_, written);
    } else {
      entries.push_back(std::move(entry));
    }
  }

  // In the client's spelling "//x" is absolute, and "x" would be below the current folder. The
  // sandbox takes only patterns with a fixed beginning, so what floats is said for the project too.
  std::vector<std::string> PathsOf(const Entry& entry) const {
    switch (entry.base) {
      case RuleBase::kHome:
        return {"~/" + entry.tail};
      case RuleBase::kAbsolute:
        return {"//" + entry.tail};
      case RuleBase::kAnywhere:
      case RuleBase::kRoot:
        break;
    }
    std::vector<std::string> paths;
    if (entry.base == RuleBase::kAnywhere) paths.push_back("//" + entry.tail);  // "**/.env"
    for (const std::string& root : roots_) paths.push_back("/" + root + "/" + entry.tail);
    return paths;
  }

  void NoteLimits() {
    std::string list;
    for (const std::string& entry : lost_) list += (list.empty() ? "" : ", ") + Quote(entry, 60);
    if (!list.empty()) {
      rules_.notes.push_back(
          "the client has no rule for these entries, so neither its searches nor commands in its"
          " sandbox exclude them: " +
          list);
    }
    if (!rules_.ask.empty()) {
      rules_.notes.emplace_back(
          "commands in the client's sandbox may read what read.ask names by a pattern, without a "
          "question");
    }
  }

  const Policy& policy_;
  SetContext context_;
  std::vector<std::string> roots_;
  std::vector<std::string> lost_;
  PathRulesOfClient rules_;
};

}  // namespace

PathRulesOfClient PathRulesFor(const Policy& policy, const Places& places) {
  return RuleWriter(policy, places).Run();
}

}  // namespace ringfence
