#include "policy/path_entry.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"
#include "policy/path.h"
#include "policy/pattern.h"
#include "policy/sets.h"

namespace ringfence {
namespace {

Error EntryError(std::string what, std::string hint = "") {
  return Error{Error::Kind::kInvalidConfig, "", std::move(what), std::move(hint)};
}

bool IsDrive(std::string_view text) {
  const bool letter = !text.empty() && ((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z');
  return letter && text.size() > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/');
}

Result<PathRule> ParseSetEntry(std::string_view text, ListKind kind) {
  const PathSet* set = FindPathSet(text);
  if (set == nullptr) {
    std::vector<std::string_view> names;
    for (const PathSet& s : PathSets()) names.push_back(s.name);
    const std::string_view nearest = Nearest(text, names);
    return EntryError(Quote(text) + " is not a set of paths" +
                      (nearest.empty() ? "" : "; did you mean " + Quote(nearest) + "?"));
  }
  if (kind == ListKind::kAllow && !set->may_allow) {
    return EntryError(Quote(text) + " can be denied or asked about, not allowed",
                      "name the one file that you mean");
  }
  PathRule rule;
  rule.written = text;
  rule.set = set->set;
  return rule;
}

// Without empty components and without any that begins with "." or "$", which need a closer look.
bool IsNormal(std::string_view tail) {
  char before = '/';
  for (const char c : tail) {
    if (before == '/' && (c == '/' || c == '.' || c == '$')) return false;
    before = c;
  }
  return before != '/';
}

// The part of an entry below its base, without "." and doubled slashes.
Result<std::string_view> NormalTail(std::string_view tail, std::deque<std::string>& strings) {
  if (IsNormal(tail)) return tail;
  std::string normal;
  std::string_view rest = tail;
  for (;;) {
    const std::string_view component = TakeComponent(rest);
    if (component.empty()) break;
    if (component == "..") return EntryError("holds \"..\"", "write the folder that you mean");
    if (component[0] == '$') return EntryError("holds a variable", "write its value");
    if (component == ".") continue;
    if (!normal.empty()) normal.push_back('/');
    normal.append(component);
  }
  if (normal == tail) return tail;
  return std::string_view(strings.emplace_back(std::move(normal)));
}

// Ordinary text, for which the careful checks need not be made: a policy may have many entries.
bool IsOrdinary(std::string_view text) {
  static constexpr auto kOrdinary = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789/._-")) {
      table[static_cast<unsigned char>(c)] = true;
    }
    return table;
  }();
  for (const char c : text) {
    if (!kOrdinary[static_cast<unsigned char>(c)]) return false;
  }
  return !text.empty();
}

Status CheckEntryText(std::string_view text) {
  if (text.empty()) return EntryError("is empty", "write \".\" for the project");
  if (std::ranges::find(text, '\0') != text.end()) return EntryError("holds NUL");
  if (TrimSpace(text).size() != text.size()) {
    return EntryError("begins or ends with white space", "remove it");
  }
  if (text[0] == '!') return EntryError("begins with \"!\"", "there is no negation; use deny");
  if (IsDrive(text) || text[0] == '\\') return EntryError("is a Windows path");
  if (text[0] == '~' && text != "~" && !text.starts_with("~/")) {
    return EntryError("begins with ~ and a name", "write ~/ or an absolute path");
  }
  if (!IsValidUtf8(text)) return EntryError("holds a lone surrogate");
  return Unit{};
}

}  // namespace

Result<PathRule> ParsePathEntry(std::string_view text, ListKind kind,
                                std::deque<std::string>& strings) {
  const bool ordinary = IsOrdinary(text);
  if (!ordinary) {
    if (Status sound = CheckEntryText(text); !sound) return sound.error();
    if (text[0] == '@') return ParseSetEntry(text, kind);
  }
  PathRule rule;
  rule.written = text;
  std::string_view tail = text;
  if (text[0] == '/') {
    rule.base = RuleBase::kAbsolute;
    tail.remove_prefix(std::min(tail.find_first_not_of('/'), tail.size()));
  } else if (text[0] == '~') {
    rule.base = RuleBase::kHome;
    tail.remove_prefix(std::min<size_t>(2, tail.size()));
  } else if (kind != ListKind::kAllow && (text == "**" || text.starts_with("**/"))) {
    rule.base = RuleBase::kAnywhere;
  }
  Result<std::string_view> normal = NormalTail(tail, strings);
  if (!normal) return normal.error();
  rule.tail = *normal;
  rule.has_pattern = !ordinary && HasPattern(rule.tail);
  if (rule.has_pattern) {
    if (Status sound = CheckPattern(rule.tail); !sound) return sound.error();
  }
  return rule;
}

}  // namespace ringfence
