#include "policy/rules/search_pattern.h"

#include <algorithm>

#include "base/add_once.h"
#include "base/path.h"

namespace ringfence {
namespace {

constexpr size_t kMaxAlternatives = 512;
constexpr size_t kMaxPattern = 4096;

// Returns the end of the group that opens at `open`, or npos.
size_t CloseOf(std::string_view text, size_t open) {
  const char opener = text[open];
  const char closer = opener == '{' ? '}' : ')';
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == opener) {
      ++depth;
    } else if (text[i] == closer && --depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

bool BeginsExtendedGlob(std::string_view text, size_t at) {
  return at + 1 < text.size() && text[at + 1] == '(' &&
         std::string_view("@+?*!").find(text[at]) != std::string_view::npos;
}

// Splits one group at its commas (or bars); nested groups stay whole.
std::vector<std::string_view> SplitGroup(std::string_view inner, char separator) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < inner.size(); ++i) {
    const char c = inner[i];
    if (c == '\\') {
      ++i;
    } else if (c == '{' || c == '(') {
      ++depth;
    } else if (c == '}' || c == ')') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.push_back(inner.substr(start, i - start));
      start = i + 1;
    }
  }
  parts.push_back(inner.substr(start));
  return parts;
}

struct PatternGroup {
  size_t begin = 0, inner = 0, end = 0;  // end: after the closer
  char separator = ',';
  char kind = '{';  // or the kind of an extended glob: @ + ? * !
};

// Returns the first group of alternatives in `text`.
std::optional<PatternGroup> FirstGroup(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    const bool extended = BeginsExtendedGlob(text, i);
    if (text[i] != '{' && !extended) continue;
    const size_t open = extended ? i + 1 : i;
    const size_t close = CloseOf(text, open);
    if (close == std::string_view::npos) continue;
    return PatternGroup{i, open + 1, close + 1, extended ? '|' : ',', text[i]};
  }
  return {};
}

// Returns the texts that a group may stand for, with "*" for those that cannot be listed.
std::vector<std::string> MeaningsOf(std::string_view inner, const PatternGroup& group) {
  if (group.kind == '!') return {"*"};
  const std::vector<std::string_view> parts = SplitGroup(inner, group.separator);
  std::vector<std::string> meanings(parts.begin(), parts.end());
  if (group.kind == '?' || group.kind == '*') meanings.emplace_back();
  if (group.kind != '+' && group.kind != '*') return meanings;
  meanings.emplace_back("*");
  for (const std::string_view one : parts) {
    if (meanings.size() > kMaxAlternatives) break;
    for (const std::string_view other : parts) {
      meanings.push_back(std::string(one) + std::string(other));
    }
  }
  return meanings;
}

// Adds every text that braces and extended globs stand for to `out`; false if there are too many.
bool Expand(std::string_view pattern, std::vector<std::string>& out) {
  std::vector<std::string> open{std::string(pattern)};
  while (!open.empty()) {
    if (open.size() + out.size() > kMaxAlternatives) return false;
    const std::string text = std::move(open.back());
    open.pop_back();
    const std::optional<PatternGroup> group = FirstGroup(text);
    if (!group) {
      out.push_back(text);
      continue;
    }
    const std::string_view whole = text;
    const std::string_view inner = whole.substr(group->inner, group->end - 1 - group->inner);
    const std::vector<std::string> meanings = MeaningsOf(inner, *group);
    if (meanings.size() > kMaxAlternatives) return false;
    for (const std::string& meaning : meanings) {
      open.push_back(std::string(whole.substr(0, group->begin)) + meaning +
                     std::string(whole.substr(group->end)));
    }
  }
  return true;
}

// Returns a component without escapes and one-character brackets; nothing if it contains a
// wildcard.
std::optional<std::string> Literal(std::string_view component) {
  std::string plain;
  for (size_t i = 0; i < component.size(); ++i) {
    const char c = component[i];
    if (c == '\\' && i + 1 < component.size()) {
      plain.push_back(component[++i]);
    } else if (c == '[' && i + 2 < component.size() && component[i + 2] == ']') {
      plain.push_back(component[i + 1]);
      i += 2;
    } else if (c == '*' || c == '?' || c == '[') {
      return {};
    } else {
      plain.push_back(c);
    }
  }
  return plain;
}

bool SpellsDotDot(std::string_view alternative) {
  // With "\" as a separator, as on Windows.
  std::string slashed(alternative);
  std::ranges::replace(slashed, '\\', '/');
  if (HasDotDot(slashed)) return true;
  std::string_view rest = alternative;
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    if (Literal(name) == "..") return true;
  }
  return false;
}

bool NamesFolder(std::string_view alternative, std::string_view beginning) {
  if (beginning.empty() || alternative.starts_with('!')) return false;
  std::string_view rest = alternative;
  std::string_view name = TakeComponent(rest);
  while (name == ".") name = TakeComponent(rest);
  return alternative.starts_with('/') || !TakeComponent(rest).empty();
}

std::string BeginningOf(std::string_view alternative) {
  std::string beginning = alternative.starts_with('/') ? "/" : "";
  std::string_view rest = alternative;
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    const std::optional<std::string> literal = Literal(name);
    if (!literal) return beginning;
    if (!beginning.empty() && beginning.back() != '/') beginning.push_back('/');
    beginning += *literal;
  }
  return beginning;
}

}  // namespace

SearchPattern ReadSearchPattern(std::string_view pattern) {
  SearchPattern read;
  if (pattern.empty()) {
    read.refused = "it is empty";
  } else if (pattern.find('\0') != std::string_view::npos) {
    read.refused = "it contains NUL";
  } else if (pattern.size() > kMaxPattern) {
    read.refused = "it is longer than a path can be";
  }
  if (read.refused) return read;
  std::vector<std::string> alternatives;
  if (!Expand(pattern, alternatives)) {
    read.refused = "it has too many alternatives";
    return read;
  }
  for (const std::string& alternative : alternatives) {
    if (SpellsDotDot(alternative)) {
      read.refused = "it contains \"..\"";
      return read;
    }
    std::string beginning = BeginningOf(alternative);
    read.names_folder = read.names_folder && NamesFolder(alternative, beginning);
    AddOnce(read.beginnings, std::move(beginning));
  }
  return read;
}

}  // namespace ringfence
