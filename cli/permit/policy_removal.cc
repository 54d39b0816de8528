
#include <algorithm>
#include <deque>

#include "base/add_once.h"
#include "base/text.h"
#include "cli/common/policies.h"
#include "cli/permit/policy_edit.h"
#include "cli/setup/starter_policy.h"
#include "policy/rules/path_entry.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

struct ListName {
  std::string section;
  std::string name;

  std::string pointer() const { return "/" + section + "/" + name; }
  std::string label() const { return section + "." + name; }
  bool is_allow() const { return name == "allow"; }
};

std::string JoinPath(const std::string& folder, std::string_view tail) {
  if (tail.empty()) return folder;
  return (folder == "/" ? "" : folder) + "/" + std::string(tail);
}

class Remover {
 public:
  Remover(const GrantTarget& grant, const PolicySources& sources, const ChangeTarget& target)
      : grant_(grant), sources_(sources), target_(target) {}

  Result<PolicyEdit> Run(const std::string& text) const {
    bool is_restored = false;
    Result<PolicyEdit> removal = RemoveFrom(Lists(), text, &is_restored);
    if (is_restored) return removal;
    std::vector<ListName> lists = Lists();
    const auto stays = [&](const ListName& list) { return IsOlderThanAllow(list, text); };
    if (std::erase_if(lists, stays) == 0) return removal;
    Result<PolicyEdit> writes = RemoveFrom(lists, text, &is_restored);
    if (writes) writes->is_still_read = true;
    return writes;
  }

 private:
  Result<PolicyEdit> RemoveFrom(const std::vector<ListName>& lists, const std::string& text,
                                bool* is_restored) const {
    PolicyEdit removal{.text = text};
    std::vector<ListName> changed;
    for (const ListName& list : lists) {
      Result<std::vector<std::string>> gone =
          RemoveFromList(removal.text, target_.shown, list.pointer(),
                         [this](std::string_view entry) { return IsMeant(entry); });
      if (!gone) return gone.error();
      if (gone->empty()) continue;
      changed.push_back(list);
      removal.lists.push_back(list.label());
      for (std::string& entry : *gone) {
        AddOnce(removal.entries, std::move(entry));
      }
    }
    if (Status s = RemoveEmptyLists(changed, removal.text); !s) return s.error();
    *is_restored = RestoreInherited(changed, text, removal.text);
    return removal;
  }

  std::vector<ListName> Lists() const {
    std::vector<ListName> lists;
    const auto add = [&](const char* section, bool has_asks) {
      if (!grant_.as_question) lists.push_back({section, "allow"});
      if (has_asks) lists.push_back({section, "ask"});
    };
    const bool is_path = grant_.kind == TargetKind::kPath;
    if (is_path) add("read", true);
    if (is_path && grant_.also_write) add("write", true);
    if (grant_.kind == TargetKind::kHost) add("network", false);
    if (grant_.kind == TargetKind::kTool) add("tools", true);
    return lists;
  }

  // True if the read list begins like the default one, up to and including this entry: then `allow`
  // found the entry there and only added it to the write list, so only that is removed.
  bool IsOlderThanAllow(const ListName& list, const std::string& text) const {
    const bool is_reading = list.section == "read" && list.is_allow();
    if (!is_reading || grant_.kind != TargetKind::kPath || !grant_.also_write) return false;
    const auto place_in = [this](const std::vector<std::string>& entries) {
      return std::ranges::find_if(entries, [this](const auto& entry) { return IsMeant(entry); });
    };
    const auto has = [&](const std::vector<std::string>& entries) {
      return place_in(entries) != entries.end();
    };
    const auto read = ListAt(text, list.pointer());
    const auto write = ListAt(text, "/write/allow");
    const std::vector<std::string> usual = Usual(list);
    if (!read || !write || !has(*write) || !has(usual) || has(Usual({"write", "allow"}))) {
      return false;
    }
    return std::ranges::equal(usual.begin(), place_in(usual), read->begin(), place_in(*read));
  }

  bool IsMeant(std::string_view entry) const {
    if (grant_.kind == TargetKind::kPath) return IsPath(entry);
    if (grant_.kind == TargetKind::kHost) return LowerAscii(entry) == LowerAscii(grant_.text);
    return entry == grant_.text || entry == grant_.named;
  }

  bool IsPath(std::string_view entry) const {
    if (grant_.path.empty()) return entry == grant_.text;  // a set
    std::deque<std::string> strings;
    PathRule rule;
    if (!ParsePathEntry(entry, ListKind::kAllow, strings, &rule)) return false;
    if (rule.set != SetName::kNone) return false;
    switch (rule.base) {
      case RuleBase::kRoot:
        // A relative entry in the user's policy applies to every project: its text must match.
        if (target_.root.empty()) return entry != "." && entry == grant_.text;
        return IsNamed(JoinPath(target_.root, rule.tail), rule);
      case RuleBase::kHome:
        return std::ranges::any_of(NamesOfHome(target_.home), [&](const std::string& home) {
          return IsNamed(JoinPath(home, rule.tail), rule);
        });
      case RuleBase::kAbsolute:
        return IsNamed(JoinPath("/", rule.tail), rule);
      case RuleBase::kAnywhere:
        break;
    }
    return false;
  }

  // `whole` is the rule's path as an absolute path.
  bool IsNamed(const std::string& whole, const PathRule& rule) const {
    for (const std::string& path : {grant_.path, grant_.named}) {
      if (!rule.has_pattern && whole == path) return true;
      if (rule.has_pattern && whole == (grant_.is_pattern ? path : EscapePattern(path)))
        return true;
    }
    return false;
  }

  // Removes empty "ask" lists, which would drop the built-in questions. Fails if an allow list of a
  // policy became empty.
  Status RemoveEmptyLists(const std::vector<ListName>& changed, std::string& text) const {
    for (const ListName& list : changed) {
      const auto left = ListAt(text, list.pointer());
      if (!left || !left->empty()) continue;
      if (list.is_allow() && !target_.is_session) {
        return ConfigError(target_.shown,
                           Quote(grant_.text) + " is the only entry of " + list.label() +
                               ", and without the list more would be permitted",
                           "edit the file: write what the list is to hold instead");
      }
      if (Status s = RemoveList(text, target_.shown, list.pointer(), target_.is_session); !s) {
        return s.error();
      }
    }
    return Unit{};
  }

  std::vector<std::string> Inherited(const ListName& list) const {
    if (target_.is_session) return {};
    const bool for_project = !target_.root.empty();
    if (list.section == "read") return InheritedEntries(sources_, AllowList::kRead, for_project);
    if (list.section == "write") return InheritedEntries(sources_, AllowList::kWrite, for_project);
    if (list.section == "network") return {};
    std::vector<std::string> tools = InheritedEntries(sources_, AllowList::kTools, for_project);
    return tools.empty() ? DefaultTools() : tools;
  }

  // Returns the default list: the inherited one or, in the user's policy, that of `ringfence init`.
  std::vector<std::string> Usual(const ListName& list) const {
    if (!target_.root.empty() || target_.is_session) return Inherited(list);
    return ListAt(StarterPolicy({}), list.pointer()).value_or(std::vector<std::string>{});
  }

  // Removes a list that `allow` created, if adding the entry once more reproduces the text.
  bool RestoreInherited(const std::vector<ListName>& changed, const std::string& before,
                        std::string& text) const {
    std::string restored = text;
    for (const ListName& list : changed) {
      const auto left = ListAt(restored, list.pointer());
      if (left && *left != Inherited(list)) return false;
      if (!RemoveList(restored, target_.shown, list.pointer(), true)) return false;
    }
    GrantTarget added = grant_;
    added.as_question = std::ranges::none_of(changed, &ListName::is_allow);
    added.also_read = std::ranges::find(changed, "read", &ListName::section) != changed.end();
    added.also_write = std::ranges::find(changed, "write", &ListName::section) != changed.end();
    const Result<PolicyEdit> again = AddTarget(added, sources_, target_, restored);
    const bool is_same = again && again->text == before;
    if (is_same) text = restored;
    return is_same && !changed.empty();
  }

  const GrantTarget& grant_;
  const PolicySources& sources_;
  const ChangeTarget& target_;
};

}  // namespace

Result<PolicyEdit> RemoveTarget(const GrantTarget& grant, const PolicySources& sources,
                                const ChangeTarget& target, const std::string& text) {
  return Remover(grant, sources, target).Run(text);
}

}  // namespace ringfence
