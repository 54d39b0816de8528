#include "base/json_mistake.h"

#include <algorithm>
#include <cstdint>

#include "base/ascii.h"
#include "base/json_tree.h"
#include "base/text.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

constexpr size_t kMaxWord = 40;

bool IsWordChar(char c) { return IsAlnum(c) || c == '_' || c == '-' || c == '$'; }

std::string Hex(uint32_t value) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (int shift = value > 0xFFFF ? 20 : 12; shift >= 0; shift -= 4) {
    text.push_back(kDigits[(value >> shift) & 0xF]);
  }
  return "U+" + text;
}

struct Row {
  std::string_view word;
  std::string_view hint;
};
// Literals of other languages that people write in place of a JSON value, in lower case.
constexpr Row kLiterals[] = {
    {"true", "write true, in lower case"},
    {"false", "write false, in lower case"},
    {"yes", "write true"},
    {"on", "write true"},
    {"no", "write false"},
    {"off", "write false"},
    {"null", "write null, in lower case, or leave the key out"},
    {"none", "write null, or leave the key out"},
    {"nil", "write null, or leave the key out"},
    {"undefined", "write null, or leave the key out"},
    {"nan", "write a number"},
    {"infinity", "write a number"},
};

// Describes the text at the error if the scanner expected something else.
class Unexpected {
 public:
  Unexpected(std::string_view text, const JsonScanner& scanner, bool comments)
      : rest_(text.substr(scanner.error_offset())),
        before_(text.substr(0, scanner.error_offset())),
        fault_(scanner.error_fault()),
        at_root_(fault_ == JsonFault::kNoValue && scanner.depth() == 0),
        open_(scanner.depth() == 0 ? '\0' : text[scanner.open_offset()]),
        open_line_(LineOf(text, scanner.open_offset())),
        comments_(comments),
        mistake_{scanner.error_offset(), scanner.error_text(), ""} {}

  // None of these errors is at the end of the text; those are JsonFault::kTooShort.
  JsonMistake Describe() {
    const char c = rest_[0];
    if (static_cast<unsigned char>(c) >= 0x80) {
      ForeignCharacter();
    } else if (!Comment(c) && !OtherQuotes(c) && !Separator(c) && !Bracket(c)) {
      if (IsWordChar(c) || c == '.' || c == '+') {
        Word();
      } else {
        Missing(c);
      }
    }
    return mistake_;
  }

 private:
  // Takes views and is not inlined: every message would otherwise add string-building code to the
  // hook.
  [[gnu::noinline]] bool Say(std::string_view what, std::string_view hint = "") {
    mistake_.what = what;
    mistake_.hint = hint;
    return true;
  }

  bool Comment(char c) {
    const bool slashes = rest_.starts_with("//") || rest_.starts_with("/*");
    if (c != '#' && !slashes) return false;
    if (!comments_) return Say("comments are not allowed in this file", "remove the comment");
    return Say("\"#\" does not begin a comment", "write // instead");
  }

  bool OtherQuotes(char c) {
    if (c == '\'') return Say("text in single quotes", "use double quotes");
    if (c == '`') return Say("text in backquotes", "use double quotes");
    return false;
  }

  bool Separator(char c) {
    if (fault_ == JsonFault::kNoColon) {
      return Say("missing \":\" after a key", "write \"key\": value");
    }
    if (c == ',' && (fault_ == JsonFault::kNoValue || fault_ == JsonFault::kNoKey)) {
      return Say("a comma without a value before it", "remove the comma");
    }
    if ((c == ';' || c == '=' || c == ':') && fault_ == JsonFault::kNoComma) {
      return Say(Quote(rest_.substr(0, 1)) + " instead of a comma", "write a comma");
    }
    if (c == ':' && fault_ == JsonFault::kTrailingText) {
      return Say("a key outside of { }", "put { in front of the first key and } behind the last");
    }
    return false;
  }

  bool Bracket(char c) {
    if (c != '}' && c != ']') return false;
    if (at_root_) return NotJson();
    if (open_ == (c == '}' ? '{' : '[')) {
      return Say("missing value", "write one in front of this bracket");
    }
    const std::string closing = Quote(rest_.substr(0, 1));
    if (open_ == '\0') {
      return Say(closing + " without a matching " + (c == '}' ? "\"{\"" : "\"[\""), "remove it");
    }
    return Say(closing + " in place of the end of the " + Quote(std::string(1, open_)) +
                   " of line " + std::to_string(open_line_),
               open_ == '{' ? "add the missing }" : "add the missing ]");
  }

  bool NotJson() { return Say("not JSON", "begin the file with \"{\""); }

  bool Word() {
    const auto end = std::ranges::find_if_not(rest_, IsWordChar);
    const std::string_view word = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    if (fault_ == JsonFault::kNoComma || fault_ == JsonFault::kTrailingText) {
      if (before_.back() != '0') return Missing(rest_[0]);
      return Say("a number that begins with 0", "write it in decimal, without a leading 0");
    }
    if (word.empty()) return Say("not a number", "begin a number with a digit or \"-\"");
    const std::string quoted = word.size() > kMaxWord ? "" : "write " + Quote(word);
    if (fault_ == JsonFault::kNoKey) return Say("a key without double quotes", quoted);
    for (const Row& row : kLiterals) {
      if (row.word == LowerAscii(word)) return Say(Quote(word) + " is not JSON", row.hint);
    }
    return at_root_ ? NotJson() : Say("text without double quotes", quoted);
  }

  bool Missing(char c) {
    if (at_root_) return NotJson();
    const bool is_value = c == '"' || c == '{' || c == '[' || IsWordChar(c);
    if (fault_ != JsonFault::kNoComma || !is_value) return false;
    return Say("missing comma", "put a comma between this and the value in front of it");
  }

  bool ForeignCharacter() {
    const CodePoint point = DecodeUtf8(rest_);
    if (point.length == 0) return Say("the file is not in UTF-8", "save it as UTF-8");
    const std::string shown = " (" + Hex(point.value) + ")";
    constexpr std::u32string_view kQuotes = U"\u2018\u2019\u201A\u201C\u201D\u201E\u00AB\u00BB";
    if (kQuotes.find(point.value) != kQuotes.npos) {
      return Say("a typographic quote" + shown, "write \" instead");
    }
    if (IsTrimmed(point.value) || IsInvisible(point.value)) {
      return Say("an invisible character" + shown, "replace it with a plain space");
    }
    return Say("an unexpected character" + shown,
               "put text in double quotes; use plain ASCII for { } [ ] , and :");
  }

  std::string_view rest_;
  std::string_view before_;
  JsonFault fault_;
  bool at_root_;  // before the document's only value
  char open_;     // the innermost open bracket
  uint32_t open_line_;
  bool comments_;
  JsonMistake mistake_;
};

JsonMistake ControlCharacter(JsonMistake mistake, std::string_view text, size_t begin) {
  const char c = text[mistake.offset];
  if (c == '\t') return {mistake.offset, "a tab in a string", "write \\t"};
  if (c != '\n' && c != '\r') return mistake;
  return {begin, "this string does not end on its line", "close it with \" (\\n for a line break)"};
}

}  // namespace

JsonMistake DescribeJsonMistake(std::string_view text, const JsonScanner& scanner, bool comments) {
  JsonMistake mistake{scanner.error_offset(), scanner.error_text(), ""};
  switch (scanner.error_fault()) {
    case JsonFault::kOther:
      return mistake;
    case JsonFault::kTrailingComma:
      mistake.hint = "remove the comma";
      return mistake;
    case JsonFault::kTooShort:
      if (scanner.depth() == 0)
        return {mistake.offset, "the file holds no value", "begin it with \"{\""};
      mistake.what = "the file ends before the " + Quote(text.substr(scanner.open_offset(), 1)) +
                     " of line " + std::to_string(LineOf(text, scanner.open_offset())) +
                     " is closed";
      mistake.hint = text[scanner.open_offset()] == '{' ? "add the missing }" : "add the missing ]";
      return mistake;
    case JsonFault::kNoStringEnd:
      return {scanner.token_offset(), mistake.what, "close it with \""};
    case JsonFault::kControl:
      return ControlCharacter(mistake, text, scanner.token_offset());
    case JsonFault::kEscape:
      mistake.hint = "write \\\\ for a backslash";
      return mistake;
    case JsonFault::kEncoding:
      mistake.hint = "save the file as UTF-8";
      if (text.starts_with("\xEF\xBB\xBF")) mistake.hint += " without a byte order mark";
      return mistake;
    case JsonFault::kNoValue:
    case JsonFault::kNoKey:
    case JsonFault::kNoColon:
    case JsonFault::kNoComma:
    case JsonFault::kTrailingText:
      return Unexpected(text, scanner, comments).Describe();
  }
  return mistake;
}

}  // namespace ringfence
