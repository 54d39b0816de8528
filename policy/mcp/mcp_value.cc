#include "policy/mcp/mcp_value.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "base/path.h"
#include "base/utf8.h"
#include "policy/evaluate/text_kind.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

constexpr size_t kMaxScheme = 64;
constexpr size_t kMaxCharacter = 4;  // bytes; the last character may have been cut off
constexpr int kProseWords = 4;

bool HasControl(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

bool HasSpace(std::string_view text) { return HasControl(text) || text.find(' ') != text.npos; }

// True for "(.." and "\"..": a path begins in the middle of the text.
bool HoldsPath(std::string_view text) {
  for (std::string_view name = TakeComponent(text); !name.empty(); name = TakeComponent(text)) {
    if (name.size() > 2 && name.ends_with("..") && name[name.size() - 3] != '.') return true;
  }
  return false;
}

// A server may shorten "a/../././x" before opening it.
bool CanBePath(std::string_view text, bool is_cut) {
  std::vector<size_t> sizes;  // of the remaining names
  for (std::string_view name = TakeComponent(text); !name.empty(); name = TakeComponent(text)) {
    if (name == ".") continue;
    if (name != "..") {
      sizes.push_back(name.size());
    } else if (!sizes.empty()) {
      sizes.pop_back();
    }
  }
  size_t length = 0;
  for (const size_t size : sizes) {
    if (size > kMaxNameBytes) return false;
    length += size + 1;
  }
  return is_cut || length <= kMaxPathBytes;
}

ValueForm PathForm(std::string_view text, bool is_cut) {
  if (text[0] == '/') return ValueForm::kAbsolute;
  if (text == "~" || text.starts_with("~/")) return ValueForm::kHome;
  // "~" alone was handled above, so a character follows.
  if (text[0] == '~' && (IsLetter(text[1]) || text[1] == '_')) return ValueForm::kOtherHome;
  if (HasDotDot(text)) return ValueForm::kClimbing;
  if (is_cut && HasControl(text)) return ValueForm::kText;  // a page or a program
  return CanBePath(text, is_cut) ? ValueForm::kRelative : ValueForm::kText;
}

// Only text before the first colon can be a scheme.
bool MayHaveScheme(std::string_view text) {
  const size_t colon = text.substr(0, kMaxScheme).find(':');
  if (colon == std::string_view::npos) return false;
  return std::ranges::none_of(text.substr(0, colon), [](char c) { return c == ' ' || c == '/'; });
}

// True if the text that parsers would read as the host cannot be one, as in "http:500" and
// "https:down since noon".
bool IsWord(std::string_view text) {
  const size_t end = std::min(text.find_first_of("/?#\\ "), text.size());
  return LeadsNowhere(text.substr(0, end)) || (end < text.size() && text[end] == ' ');
}

// Reads text that is a URL only to parsers that repair it.
Value ReadUnclear(std::string_view text) {
  std::string repaired = RepairedUrl(text);
  const std::string scheme = SchemeOf(repaired);
  if (scheme == "file") return {ValueForm::kFileUrl, std::move(repaired), HasSpace(text)};
  const bool is_web = scheme == "http" || scheme == "https" || scheme == "ws" || scheme == "wss";
  if (is_web) {
    const size_t host = repaired.find_first_not_of("/\\", scheme.size() + 1);
    if (host == std::string::npos || repaired[host] == ' ') return {};
    if (host == scheme.size() + 1 && IsWord(std::string_view(repaired).substr(host))) return {};
    return {ValueForm::kWebUrl, scheme + "://" + repaired.substr(host), HasSpace(text)};
  }
  const size_t inner = InnerScheme(repaired);
  if (inner == std::string_view::npos || HasSpace(text)) return {};
  return ReadValue(std::string_view(repaired).substr(inner));
}

// Returns kText if the text is not a URL.
Value ReadUrl(std::string_view text) {
  const bool is_prose = HasSpace(text);
  switch (KindOfText(text)) {
    case TextKind::kFileUrl:
      return {ValueForm::kFileUrl, std::string(text), is_prose};
    case TextKind::kWebUrl:
      return {ValueForm::kWebUrl, std::string(text), is_prose};
    case TextKind::kOtherUrl:
      return {ValueForm::kOtherUrl, std::string(text), is_prose};
    case TextKind::kUnclear:
      return ReadUnclear(text);
    case TextKind::kPath:
      if (SchemeOf(text) == "jdbc") return ReadValue(text.substr(std::string_view("jdbc:").size()));
      break;
  }
  return {};
}

// Sentences rarely begin with "../x" but often with a file's name: "/etc/hosts is broken".
bool LooksLikeProse(ValueForm form, std::string_view text, bool is_cut) {
  if (form == ValueForm::kRelative) return is_cut && IsProse(text);
  const bool is_place = form == ValueForm::kAbsolute || form == ValueForm::kHome;
  return IsProse(text) || (is_place && HasSpace(text));
}

}  // namespace

bool IsProse(std::string_view text) {
  if (HasControl(text) || HoldsPath(text)) return true;
  int words = 1;
  for (size_t i = 1; i < text.size(); ++i) words += text[i] == ' ' && text[i - 1] != ' ' ? 1 : 0;
  return words >= kProseWords;
}

Value ReadValue(std::string_view text) {
  const bool is_cut = text.size() + kMaxCharacter > kMaxValue;
  text = TrimUnseen(text);
  if (text.empty()) return {};
  for (const std::string_view home : {"$HOME", "${HOME}"}) {
    if (text == home || (text.starts_with(home) && text[home.size()] == '/')) {
      std::string path = "~" + std::string(text.substr(home.size()));
      return {ValueForm::kHome, path, HasSpace(path) || IsProse(path), is_cut, std::string(text)};
    }
  }
  if (MayHaveScheme(text)) {
    Value url = ReadUrl(text);
    url.is_cut = is_cut;
    if (url.form != ValueForm::kText) return url;
  }
  const ValueForm form = PathForm(text, is_cut);
  if (form == ValueForm::kText) return {};
  const bool is_prose = LooksLikeProse(form, text, is_cut);
  if (is_prose && text.size() > kMaxPathBytes && !CanBePath(text, is_cut)) return {};
  const bool is_home = form == ValueForm::kHome || form == ValueForm::kOtherHome;
  return {form, std::string(text), is_prose, is_cut, std::string(is_home ? text : "")};
}

std::string_view BoundPath(std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string_view bound = text.substr(0, colon);
  const bool leads_on = text.substr(colon).starts_with(":/");
  if (colon == text.size() || HasControl(text) || (HasSpace(text) && !leads_on)) return "";
  const bool is_root = bound.find_first_not_of('/') == bound.npos;
  return is_root && !leads_on ? "" : bound;
}

bool BindsDirectory(std::string_view text) {
  const std::string_view bound = BoundPath(text);
  return !bound.empty() && text.substr(bound.size()).starts_with(":/") && !HasDotDot(text);
}

bool LooksLikeDocument(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return false;
  const char last = text[text.find_last_not_of(" \t\r\n")];
  return (text[first] == '[' && last == ']') || (text[first] == '{' && last == '}');
}

bool HoldsSeveralPaths(std::string_view text) {
  constexpr std::string_view kBetween = " ,;:|";
  if (HasControl(text) || text.find(", ") != text.npos) return true;
  for (size_t at = text.find_first_of(kBetween); at != text.npos;
       at = text.find_first_of(kBetween, at + 1)) {
    const std::string_view next = text.substr(at + 1);
    for (const std::string_view begin : {"/", "~/", "./", "../", "$HOME"}) {
      if (next.starts_with(begin)) return true;
    }
  }
  return false;
}

std::string_view FirstName(std::string_view path) {
  std::string_view name = TakeComponent(path);
  while (name == ".") name = TakeComponent(path);
  return name;
}

}  // namespace ringfence
