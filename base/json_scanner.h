// JsonScanner reads one JSON document (RFC 8259) as a stream of tokens, from chunks of any size, in
// memory that does not grow with the length of a string. It is strict: duplicate keys in one
// object, a byte order mark, trailing data, invalid UTF-8 and nesting beyond a limit are errors.
// Lone surrogates and NUL written as escapes are accepted in values and reported with the string,
// because the real client sends them in file contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_kind.h"
#include "base/not_copied.h"
#include "base/result.h"

namespace ringfence {

class ByteSource : NotCopied {
 public:
  virtual ~ByteSource() = default;
  // The next bytes, valid until the next call; empty at the end of the input.
  virtual Result<std::string_view> Next() = 0;
};

// A document that is already in memory; the caller keeps `text` alive.
class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : text_(text) {}
  Result<std::string_view> Next() override { return std::exchange(text_, {}); }

 private:
  std::string_view text_;
};

enum class Token : uint8_t {
  kObjectBegin,
  kObjectEnd,
  kArrayBegin,
  kArrayEnd,
  kKey,     // text() is the decoded key; its value is the next token
  kString,  // TakeString() reads it; otherwise Next() checks and skips it
  kNumber,  // text() is the number as written, cut if it has more than 64 digits
  kTrue,
  kFalse,
  kNull,
  kEnd,    // the document is complete and nothing follows it
  kError,  // as is every later token; see error_offset(), error_text()
};

// The kind of the value that begins with the token; kNull for tokens that begin none.
constexpr JsonKind KindOf(Token token) {
  using enum JsonKind;
  constexpr JsonKind kKinds[] = {kObject, kNull, kArray, kNull, kNull, kString,
                                 kNumber, kTrue, kFalse, kNull, kNull, kNull};
  return kKinds[static_cast<size_t>(token)];
}

// Kinds of errors that DescribeJsonMistake() distinguishes (base/json_mistake.h).
enum class JsonFault : uint8_t {
  kOther,
  kNoValue,        // a value was expected
  kNoKey,          // a key in double quotes was expected
  kNoColon,        // ":" was expected
  kNoComma,        // "," or the closing bracket was expected
  kTrailingComma,  // error_offset() is that of the comma
  kTooShort,       // the document ends within a value
  kNoStringEnd,    // the document ends within a string
  kControl,        // a control character in a string
  kEscape,         // an unknown escape in a string
  kEncoding,       // not UTF-8, or a byte order mark
  kTrailingText,   // text after the end of the document
};

class JsonScanner : NotCopied {
 public:
  struct Duplicate {
    size_t offset = 0;  // of the second key
    std::string what;
  };
  struct Options {
    bool comments = false;  // accepts // and /* */, for files written by people
    size_t max_depth = 200;
    // If set, receives the first kMaxDuplicates duplicate keys; otherwise the first one is an
    // error. A caller that sets it must still reject the document.
    std::vector<Duplicate>* duplicates = nullptr;
  };
  static constexpr size_t kMaxDuplicates = 100;
  struct String {
    std::string_view text;  // valid until the next call of the scanner
    bool cut = false;       // longer than the limit; `text` is only a part of it
    bool has_nul = false;
    bool has_lone_surrogate = false;
  };

  JsonScanner(ByteSource& source, Options options) : source_(source), options_(options) {}

  Token Next();

  // Reads the string value that Next() announced with kString, up to `limit` bytes: the beginning
  // or the end of a longer one. The string is valid only if this returns true; otherwise the next
  // token is kError.
  enum class Keep : uint8_t { kBeginning, kEnd };
  bool TakeString(size_t limit, String* out, Keep keep = Keep::kBeginning);

  // Skips the rest of the value that begins with `first`, the last token. False after an error.
  bool SkipValue(Token first);

  std::string_view text() const { return text_; }
  size_t depth() const { return frames_.size(); }

  // Byte offsets from the start of the document: of the last token that Next() returned, and of the
  // next byte to read.
  size_t token_offset() const { return token_offset_; }
  size_t offset() const { return base_ + at_; }

  size_t error_offset() const { return error_offset_; }
  const std::string& error_text() const { return error_text_; }
  JsonFault error_fault() const { return error_fault_; }
  // After an error: the offset of the innermost object or array still open; 0 if none is open.
  size_t open_offset() const { return frames_.empty() ? 0 : frames_.back().begin; }

 private:
  enum class State : uint8_t { kValue, kValueOrEnd, kKeyOrEnd, kAfterValue };
  // Hashes of one object's keys, with open addressing. Equal keys have equal hashes, so a duplicate
  // is never missed; a collision rejects a valid document, about once in 2^64/n^2 documents with n
  // keys.
  class KeySet {
   public:
    bool Insert(uint64_t hash);

   private:
    bool Place(uint64_t hash);
    void Grow();

    std::vector<uint64_t> slots_;
    size_t count_ = 0;
  };
  struct Frame {
    bool is_object = false;
    size_t begin = 0;                   // byte offset of the opening bracket
    size_t first_key = 0;               // index of its first key in key_hashes_
    std::unique_ptr<KeySet> many = {};  // replaces the linear search once there are many keys
  };

  bool Refill();
  // Returns the next byte, or -1 at the end.
  int Peek() {
    if (at_ == chunk_.size() && !Refill()) return -1;
    return static_cast<unsigned char>(chunk_[at_]);
  }
  Token Fail(std::string_view what, JsonFault fault = JsonFault::kOther);
  Token FailAt(size_t offset, std::string_view what, JsonFault fault = JsonFault::kOther);
  Token FailToken(std::string_view what, JsonFault fault);
  bool SkipSpace();
  bool SkipComment();
  Token ReadAfterValue();
  Token ReadValue();
  Token ReadKey();
  Token ReadNumber();
  bool ReadDigits();
  Token ReadWord(std::string_view word, Token token);
  Token Open(bool is_object);
  Token Close();
  bool IsNewKey(std::string_view key);

  struct StringState;
  bool ScanString(size_t limit, Keep keep, String* out);
  bool ScanContent(int c, StringState& state);
  void SkipFast();
  bool ScanEscape(StringState& state);
  bool ScanHex(uint32_t* value);
  bool ScanMultibyte(StringState& state);
  static void CutToEnd(StringState& state);
  static void FlushSurrogate(StringState& state);
  static void Put(StringState& state, std::string_view bytes);
  static void PutCodePoint(StringState& state, uint32_t value);

  ByteSource& source_;
  Options options_;
  std::string_view chunk_;
  size_t at_ = 0;    // in chunk_
  size_t base_ = 0;  // offset of chunk_ in the document
  bool at_end_ = false;

  std::vector<Frame> frames_;
  std::vector<uint64_t> key_hashes_;  // of the open objects, innermost last
  State state_ = State::kValue;
  bool string_pending_ = false;
  size_t comma_ = 0;  // byte offset of the last comma read

  std::string text_;    // the key or number
  std::string string_;  // a string value that had to be decoded
  size_t token_offset_ = 0;
  bool failed_ = false;
  size_t error_offset_ = 0;
  JsonFault error_fault_ = JsonFault::kOther;
  std::string error_text_;
};

}  // namespace ringfence
