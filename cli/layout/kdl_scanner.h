// Scans the tokens of a KDL document: white space, comments, names, values. A function returns
// true if it consumed its token. After a mistake all of them return false, and error() has the
// reason.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/layout/kdl.h"

namespace ringfence {

class KdlScanner {
 public:
  // `text` is valid UTF-8.
  explicit KdlScanner(std::string_view text) : text_(text) {}

  size_t offset() const { return offset_; }
  bool is_at_end() const { return offset_ == text_.size(); }
  bool is_at(std::string_view word) const { return text_.substr(offset_).starts_with(word); }
  bool Take(std::string_view word);

  bool SkipSpace();       // white space and /* comments */
  bool SkipNodeSpace();   // the same, and a "\" at the end of a line
  bool SkipLineSpace();   // white space, line ends and all comments
  bool TakeTerminator();  // of a node: a line end, // comment, ";" or the end of the text

  bool TakeType();  // "(u8)"
  bool TakeString(std::string& out);
  // A bare name or a string.
  bool TakeName(std::string& out);
  // A string, a number, true, false or null.
  bool TakeValue(KdlValue& out);
  // A bare word or a string, followed by "="; also takes the "=".
  bool TakePropertyName(std::string& out);

  bool Fail(size_t offset, std::string what, std::string hint = "");
  bool has_failed() const { return mistake_.has_value(); }
  // The mistake, with its place in the document `name`.
  Error error(std::string_view name) const;

 private:
  struct Mistake {
    size_t offset;
    std::string what;
    std::string hint;
  };

  bool TakeNewline();
  bool TakeBlockComment();
  bool TakeLineComment();
  bool TakeBareWord(std::string_view& out);
  bool TakeRawString(std::string& out);
  bool TakeQuotedString(std::string& out);
  bool TakeEscape(std::string& out);
  bool TakeCodePoint(std::string& out);
  bool TakeNumber();
  bool TakeDigits(std::string_view digits);

  std::string_view text_;
  size_t offset_ = 0;
  std::optional<Mistake> mistake_;
};

}  // namespace ringfence
