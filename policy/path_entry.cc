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

Status ParseSetEntry(std::string_view text, ListKind kind, PathRule* rule) {
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
  rule->set = set->set;
  return Unit{};
}

// What one look at an entry tells: a policy may have many, and nearly all of them are plain.
struct Look {
  bool is_ordinary = true;  // letters, digits and "/._-": no other check can find anything
  bool is_normal = true;    // no component is empty or begins with "." or "$"
};

Look LookAt(std::string_view text) {
  enum : uint8_t { kOther = 1, kSlash = 2, kSpecial = 4 };  // special at the start of a component
  static constexpr auto kClasses = [] {
    std::array<uint8_t, 256> table{};
    table.fill(kOther);
    for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_-")) {
      table[static_cast<unsigned char>(c)] = 0;
    }
    table['/'] = kSlash | kSpecial;
    table['.'] = kSpecial;
    table['$'] = kOther | kSpecial;
    return table;
  }();
  unsigned all = 0;
  unsigned starts = 0;
  unsigned before = kSlash;
  for (const char c : text) {
    const unsigned now = kClasses[static_cast<unsigned char>(c)];
    all |= now;
    starts |= (before & kSlash) != 0 ? now : 0;
    before = now;
  }
  return {.is_ordinary = !text.empty() && (all & kOther) == 0,
          .is_normal = (starts & kSpecial) == 0 && (before & kSlash) == 0};
}

// The part of an entry below its base, without "." and doubled slashes.
Result<std::string_view> NormalTail(std::string_view tail, std::deque<std::string>& strings) {
  if (LookAt(tail).is_normal) return tail;
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

Status ParsePathEntry(std::string_view text, ListKind kind, std::deque<std::string>& strings,
                      PathRule* rule) {
  rule->written = text;
  const Look look = LookAt(text);
  if (look.is_ordinary && look.is_normal) {  // "src/parser"
    rule->tail = text;
    return Unit{};
  }
  if (!look.is_ordinary) {
    if (Status sound = CheckEntryText(text); !sound) return sound;
    if (text[0] == '@') return ParseSetEntry(text, kind, rule);
  }
  std::string_view tail = text;
  if (text[0] == '/') {
    rule->base = RuleBase::kAbsolute;
    tail.remove_prefix(std::min(tail.find_first_not_of('/'), tail.size()));
  } else if (text[0] == '~') {
    rule->base = RuleBase::kHome;
    tail.remove_prefix(std::min<size_t>(2, tail.size()));
  } else if (kind != ListKind::kAllow && (text == "**" || text.starts_with("**/"))) {
    rule->base = RuleBase::kAnywhere;
  }
  const Result<std::string_view> normal = NormalTail(tail, strings);
  if (!normal) return normal.error();
  rule->tail = *normal;
  rule->has_pattern = !look.is_ordinary && HasPattern(rule->tail);
  return rule->has_pattern ? CheckPattern(rule->tail) : Status(Unit{});
}

}  // namespace ringfence
