#include "policy/rules/path_entry.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/eight_bytes.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/rules/pattern.h"
#include "policy/rules/sets.h"

namespace ringfence {
namespace {

Error EntryError(std::string what, std::string hint = "") {
  return ConfigError("", std::move(what), std::move(hint));
}

bool BeginsWithDrive(std::string_view text) {
  return text.size() > 2 && IsLetter(text[0]) && text[1] == ':' &&
         (text[2] == '\\' || text[2] == '/');
}

Status ParseSetEntry(std::string_view text, ListKind kind, PathRule* rule) {
  const PathSet* set = FindPathSet(text);
  if (set == nullptr) {
    std::vector<std::string_view> names;
    for (const PathSet& s : PathSets()) names.push_back(s.name);
    return EntryError(Quote(text) + " is not a set of paths" + DidYouMean(Nearest(text, names)));
  }
  if (kind == ListKind::kAllow && !set->may_allow) {
    return EntryError(Quote(text) + " can be denied or asked about, not allowed",
                      "name the one file that you mean");
  }
  rule->set = set->set;
  return Unit{};
}

bool IsPlainByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '-' && c <= '9') || c == '_';
}

// True for letters, digits and "/._-" (the range "-" to "9", and "_") without an empty component or
// one that begins with ".". No other check finds anything in such text, and nearly every entry of a
// long policy is of this kind.
bool IsPlainText(std::string_view text) {
  if (text.empty() || text.back() == '/') return false;
  const char* at = text.data();
  size_t left = text.size();
  uint64_t begins = 0x80;  // the bytes that begin a component; initially the first one
  while (kEightBytesWork && left >= 8) {
    const uint64_t bytes = LoadEight(at);
    const uint64_t letters = IsWithin(bytes | (kEachByte * 0x20), 'a', 'z');
    const uint64_t plain = letters | IsWithin(bytes, '-', '9') | IsWithin(bytes, '_', '_');
    if ((bytes & kEachHighBit) != 0 || plain != kEachHighBit) return false;
    const uint64_t marks = IsWithin(bytes, '.', '/');
    const uint64_t slashes = marks & bytes << 7;  // '/' is odd, '.' is even
    if (((begins | slashes << 8) & marks) != 0) return false;
    begins = slashes >> 56;
    at += 8;
    left -= 8;
  }
  for (bool begin = begins != 0; left > 0; ++at, --left) {
    if (!IsPlainByte(*at) || (begin && (*at == '.' || *at == '/'))) return false;
    begin = *at == '/';
  }
  return true;
}

// Returns the part of an entry below its base, without "." and double slashes.
Result<std::string_view> NormalTail(std::string_view tail, std::deque<std::string>& strings) {
  if (IsPlainText(tail)) return tail;
  std::string normal;
  std::string_view rest = tail;
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    if (name == "..") return EntryError("contains \"..\"", "write the directory itself");
    if (name[0] == '$') return EntryError("contains a variable", "write its value");
    if (name == ".") continue;
    if (!normal.empty()) normal.push_back('/');
    normal.append(name);
  }
  if (normal == tail) return tail;
  return std::string_view(strings.emplace_back(std::move(normal)));
}

Status CheckEntryText(std::string_view text) {
  if (text.empty()) return EntryError("is empty", "write \".\" for the project");
  if (std::ranges::find(text, '\0') != text.end()) return EntryError("contains NUL");
  if (TrimSpace(text).size() != text.size()) {
    return EntryError("begins or ends with white space", "remove it");
  }
  if (text[0] == '!')
    return EntryError("begins with \"!\"", "patterns cannot be negated; use deny");
  if (BeginsWithDrive(text) || text[0] == '\\') return EntryError("is a Windows path");
  if (text[0] == '~' && text != "~" && !text.starts_with("~/")) {
    return EntryError("begins with ~ and a name", "write ~/ or an absolute path");
  }
  if (!IsValidUtf8(text)) return EntryError("contains a lone surrogate");
  return Unit{};
}

}  // namespace

Status ParsePathEntry(std::string_view text, ListKind kind, std::deque<std::string>& strings,
                      PathRule* rule) {
  if (IsPlainText(text)) {  // "src/parser"
    rule->tail = text;
    return Unit{};
  }
  if (Status sound = CheckEntryText(text); !sound) return sound;
  if (text[0] == '@') return ParseSetEntry(text, kind, rule);
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
  if (Status s = NormalTail(tail, strings).MoveTo(rule->tail); !s) return s;
  rule->has_pattern = HasPattern(rule->tail);
  return rule->has_pattern ? CheckPattern(rule->tail) : Status(Unit{});
}

}  // namespace ringfence
