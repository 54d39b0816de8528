#include "base/json_scanner.h"

#include "base/ascii.h"
#include "base/name_bits.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxKeyBytes = size_t{64} * 1024;
constexpr size_t kMaxNumberText = 64;
constexpr size_t kLinearKeys = 16;  // up to this number a linear search beats a table

}  // namespace

bool JsonScanner::KeySet::Insert(uint64_t hash) {
  if ((count_ + 1) * 2 > slots_.size()) Grow();
  if (!Place(hash)) return false;
  ++count_;
  return true;
}

bool JsonScanner::KeySet::Place(uint64_t hash) {
  const uint64_t stored = hash == 0 ? 1 : hash;  // 0 marks a free slot
  for (size_t i = stored & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i] == stored) return false;
    if (slots_[i] != 0) continue;
    slots_[i] = stored;
    return true;
  }
}

void JsonScanner::KeySet::Grow() {
  std::vector<uint64_t> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  for (const uint64_t hash : old) {
    if (hash != 0) Place(hash);
  }
}

bool JsonScanner::Refill() {
  if (at_end_ || failed_) return false;
  Result<std::string_view> next = source_.Next();
  if (!next) {
    Fail(next.error().text());
    return false;
  }
  base_ += chunk_.size();
  chunk_ = *next;
  at_ = 0;
  at_end_ = chunk_.empty();
  return !at_end_;
}

Token JsonScanner::Fail(std::string_view what, JsonFault fault) {
  return FailAt(offset(), what, fault);
}

Token JsonScanner::FailAt(size_t offset, std::string_view what, JsonFault fault) {
  if (failed_) return Token::kError;
  failed_ = true;
  error_offset_ = offset;
  error_fault_ = fault;
  error_text_ = std::string(what);
  return Token::kError;
}

bool JsonScanner::SkipComment() {
  ++at_;
  const int kind = Peek();
  if (kind != '/' && kind != '*') {
    Fail("a comment begins with // or /*");
    return false;
  }
  ++at_;
  bool star = false;
  for (int c = Peek(); c >= 0; c = Peek()) {
    ++at_;
    if (kind == '/' && c == '\n') return true;
    if (kind == '*' && star && c == '/') return true;
    star = c == '*';
  }
  if (kind == '*') Fail("this comment has no end");
  return kind == '/' && !failed_;
}

bool JsonScanner::SkipSpace() {
  for (;;) {
    const int c = Peek();
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && options_.comments) {
      if (!SkipComment()) return false;
    } else {
      return !failed_;
    }
  }
}

Token JsonScanner::Next() {
  if (string_pending_) {
    string_pending_ = false;
    String ignored;
    if (!ScanString(0, Keep::kBeginning, &ignored)) return Token::kError;
  }
  if (failed_ || !SkipSpace()) return Token::kError;
  token_offset_ = offset();
  switch (state_) {
    case State::kAfterValue:
      return ReadAfterValue();
    case State::kKeyOrEnd:
      if (Peek() == '}') return Close();
      return ReadKey();
    case State::kValueOrEnd:
      if (Peek() == ']') return Close();
      return ReadValue();
    case State::kValue:
      return ReadValue();
  }
  return Fail("unreachable");
}

bool JsonScanner::SkipValue(Token first) {
  const size_t inside = depth();
  if (first != Token::kObjectBegin && first != Token::kArrayBegin) return first != Token::kError;
  while (depth() >= inside) {
    if (Next() == Token::kError) return false;
  }
  return true;
}

Token JsonScanner::ReadAfterValue() {
  const int c = Peek();
  if (failed_) return Token::kError;
  if (frames_.empty()) {
    if (c < 0) return Token::kEnd;
    return Fail("text after the end of the document", JsonFault::kTrailingText);
  }
  const bool in_object = frames_.back().is_object;
  if (c == (in_object ? '}' : ']')) return Close();
  if (c < 0) return Fail("unexpected end of input", JsonFault::kTooShort);
  if (c != ',') return Fail(in_object ? "expected , or }" : "expected , or ]", JsonFault::kNoComma);
  comma_ = offset();
  ++at_;
  if (!SkipSpace()) return Token::kError;
  token_offset_ = offset();
  return in_object ? ReadKey() : ReadValue();
}

// Fails because neither a key nor a value begins here; reports a trailing comma at the comma.
Token JsonScanner::FailToken(std::string_view what, JsonFault fault) {
  if (state_ != State::kAfterValue) return Fail(what, fault);  // no comma precedes it
  const bool in_object = frames_.back().is_object;
  if (Peek() != (in_object ? '}' : ']')) return Fail(what, fault);
  return FailAt(comma_, in_object ? "trailing comma before }" : "trailing comma before ]",
                JsonFault::kTrailingComma);
}

Token JsonScanner::Open(bool is_object) {
  if (frames_.size() >= options_.max_depth) {
    return Fail("nested deeper than " + std::to_string(options_.max_depth));
  }
  ++at_;
  frames_.push_back({is_object, token_offset_, key_hashes_.size()});
  state_ = is_object ? State::kKeyOrEnd : State::kValueOrEnd;
  return is_object ? Token::kObjectBegin : Token::kArrayBegin;
}

Token JsonScanner::Close() {
  ++at_;
  const bool was_object = frames_.back().is_object;
  key_hashes_.resize(frames_.back().first_key);
  frames_.pop_back();
  state_ = State::kAfterValue;
  return was_object ? Token::kObjectEnd : Token::kArrayEnd;
}

Token JsonScanner::ReadKey() {
  const int c = Peek();
  if (failed_) return Token::kError;
  if (c < 0) return Fail("unexpected end of input", JsonFault::kTooShort);
  if (c != '"') return FailToken("expected a key in double quotes", JsonFault::kNoKey);
  String key;
  if (!ScanString(kMaxKeyBytes, Keep::kBeginning, &key)) return Token::kError;
  if (key.cut) return FailAt(token_offset_, "a key is too long");
  if (key.has_nul) return FailAt(token_offset_, "a key contains NUL");
  text_.assign(key.text);
  if (!IsNewKey(text_)) {
    std::string what = "duplicate key " + Quote(text_);
    std::vector<Duplicate>* const taken = options_.duplicates;
    if (taken == nullptr || taken->size() >= kMaxDuplicates) return FailAt(token_offset_, what);
    taken->push_back({token_offset_, std::move(what)});
  }
  if (!SkipSpace()) return Token::kError;
  const int after = Peek();
  if (after < 0) return Fail("unexpected end of input", JsonFault::kTooShort);
  if (after != ':') return Fail("expected : after a key", JsonFault::kNoColon);
  ++at_;
  state_ = State::kValue;
  return Token::kKey;
}

bool JsonScanner::IsNewKey(std::string_view key) {
  const uint64_t hash = HashText(key);
  Frame& frame = frames_.back();
  if (frame.many != nullptr) return frame.many->Insert(hash);
  for (size_t i = frame.first_key; i < key_hashes_.size(); ++i) {
    if (key_hashes_[i] == hash) return false;
  }
  key_hashes_.push_back(hash);
  if (key_hashes_.size() - frame.first_key > kLinearKeys) {
    frame.many = std::make_unique<KeySet>();
    for (size_t i = frame.first_key; i < key_hashes_.size(); ++i) {
      frame.many->Insert(key_hashes_[i]);
    }
  }
  return true;
}

Token JsonScanner::ReadValue() {
  const int first = Peek();
  if (failed_) return Token::kError;
  switch (first) {
    case -1:
      if (offset() == 0) return Fail("empty input", JsonFault::kTooShort);
      return Fail("unexpected end of input", JsonFault::kTooShort);
    case '{':
      return Open(true);
    case '[':
      return Open(false);
    case '"':
      string_pending_ = true;
      state_ = State::kAfterValue;
      return Token::kString;
    case 't':
      return ReadWord("true", Token::kTrue);
    case 'f':
      return ReadWord("false", Token::kFalse);
    case 'n':
      return ReadWord("null", Token::kNull);
    case 0xEF:
      if (offset() == 0) return Fail("a byte order mark is not JSON", JsonFault::kEncoding);
      return Fail("expected a value", JsonFault::kNoValue);
    default:
      if (IsDigit(first) || first == '-') return ReadNumber();
      return FailToken("expected a value", JsonFault::kNoValue);
  }
}

Token JsonScanner::ReadWord(std::string_view word, Token token) {
  for (const char c : word) {
    if (Peek() != c) return FailAt(token_offset_, "expected a value", JsonFault::kNoValue);
    ++at_;
  }
  state_ = State::kAfterValue;
  return token;
}

// Reads one digit or more and appends those that fit to text_. Returns false if there is none.
bool JsonScanner::ReadDigits() {
  size_t count = 0;
  for (; IsDigit(Peek()); ++count, ++at_) {
    if (text_.size() < kMaxNumberText) text_.push_back(chunk_[at_]);
  }
  return count > 0;
}

Token JsonScanner::ReadNumber() {
  text_.clear();
  const auto take = [this] { text_.push_back(chunk_[at_++]); };
  if (Peek() == '-') take();
  if (Peek() == '0') {
    take();
  } else if (!ReadDigits()) {
    return FailAt(token_offset_, "not a number");
  }
  if (Peek() == '.') {
    take();
    if (!ReadDigits()) return FailAt(token_offset_, "not a number");
  }
  if (Peek() == 'e' || Peek() == 'E') {
    take();
    if (Peek() == '+' || Peek() == '-') take();
    if (!ReadDigits()) return FailAt(token_offset_, "not a number");
  }
  if (failed_) return Token::kError;
  state_ = State::kAfterValue;
  return Token::kNumber;
}

}  // namespace ringfence
