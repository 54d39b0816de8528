#include "base/json_scanner.h"

#include <bit>
#include <cstring>

#include "base/text.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

constexpr size_t kMaxKeyBytes = 64 * 1024;
constexpr size_t kMaxNumberText = 64;
constexpr size_t kLinearKeys = 16;  // up to here a linear search beats a table

uint64_t HashKey(std::string_view key) {  // FNV-1a, 64 bits
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

bool IsDigit(int c) { return c >= '0' && c <= '9'; }

constexpr uint64_t kOnes = 0x0101010101010101u;
constexpr uint64_t kHighs = 0x8080808080808080u;

// The high bit of each of eight bytes that needs a closer look: a quote, a backslash, a control
// character, or a byte of a longer UTF-8 sequence. A borrow may also mark a byte after the first
// marked one; before it no mark is wrong.
uint64_t SpecialBytes(const char* eight) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, eight, sizeof bytes);
  const uint64_t quote = bytes ^ (kOnes * '"');
  const uint64_t backslash = bytes ^ (kOnes * '\\');
  return ((bytes - kOnes * 0x20) | (quote - kOnes) | (backslash - kOnes) | bytes) & kHighs;
}

bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

// The first byte at or after `at` that is not plain string content, or `end`.
const char* SkipPlain(const char* at, const char* end) {
  if constexpr (std::endian::native == std::endian::little) {
    for (; end - at >= 8; at += 8) {
      const uint64_t special = SpecialBytes(at);
      if (special != 0) return at + std::countr_zero(special) / 8;
    }
  }
  while (at < end && IsPlain(*at)) ++at;
  return at;
}

size_t PlainPrefix(std::string_view text) {
  return static_cast<size_t>(SkipPlain(text.data(), text.data() + text.size()) - text.data());
}

bool IsOneLetterEscape(char c) {
  switch (c) {
    case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't':
      return true;
    default:
      return false;
  }
}

// Goes over string content that need not be kept: stops at the closing quote, at what needs the
// careful way (\u, an error, the end of the chunk within a sequence), or at `end`.
const char* SkipContent(const char* at, const char* end) {
  for (;;) {
    at = SkipPlain(at, end);
    if (at == end || *at == '"') return at;
    if (*at == '\\') {
      if (end - at < 2 || !IsOneLetterEscape(at[1])) return at;
      at += 2;
    } else {
      const size_t length = DecodeUtf8({at, static_cast<size_t>(end - at)}).length;
      if (length == 0) return at;
      at += length;
    }
  }
}

}  // namespace

// The hashes of one object's keys, open addressing. Equal keys have equal hashes, so a duplicate is
// never missed; a collision would refuse a sound document, once in 2^64/n^2.
class JsonScanner::KeySet {
 public:
  bool Insert(uint64_t hash) {
    if ((count_ + 1) * 2 > slots_.size()) Grow();
    if (!Place(hash)) return false;
    ++count_;
    return true;
  }

 private:
  bool Place(uint64_t hash) {
    const uint64_t stored = hash == 0 ? 1 : hash;  // 0 marks a free slot
    for (size_t i = stored & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i] == stored) return false;
      if (slots_[i] != 0) continue;
      slots_[i] = stored;
      return true;
    }
  }

  void Grow() {
    std::vector<uint64_t> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const uint64_t hash : old) {
      if (hash != 0) Place(hash);
    }
  }

  std::vector<uint64_t> slots_;
  size_t count_ = 0;
};

// What is known about the string that is being read.
struct JsonScanner::StringState {
  std::string* keep = nullptr;
  size_t limit = 0;
  String found;
  uint32_t high_surrogate = 0;  // waits for its partner
};

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

int JsonScanner::Peek() {
  if (at_ == chunk_.size() && !Refill()) return -1;
  return static_cast<unsigned char>(chunk_[at_]);
}

Token JsonScanner::Fail(std::string_view what) { return FailAt(offset(), what); }

Token JsonScanner::FailAt(size_t offset, std::string_view what) {
  if (failed_) return Token::kError;
  failed_ = true;
  error_offset_ = offset;
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

JsonScanner::Frame::Frame(bool object, size_t first) : is_object(object), first_key(first) {}
JsonScanner::Frame::Frame(Frame&&) noexcept = default;
JsonScanner::Frame& JsonScanner::Frame::operator=(Frame&&) noexcept = default;
JsonScanner::Frame::~Frame() = default;

JsonScanner::JsonScanner(ByteSource& source, Options options)
    : source_(source), options_(options) {}
JsonScanner::~JsonScanner() = default;

Token JsonScanner::Next() {
  if (string_pending_) {
    string_pending_ = false;
    String ignored;
    if (!ScanString(0, &ignored)) return Token::kError;
  }
  if (failed_ || !SkipSpace()) return Token::kError;
  token_offset_ = offset();
  switch (state_) {
    case State::kAfterValue:
      return ReadAfterValue();
    case State::kKeyOrEnd:
      if (Peek() == '}') return Close();
      return ReadKey();
    case State::kKey:
      return ReadKey();
    case State::kValueOrEnd:
      if (Peek() == ']') return Close();
      return ReadValue();
    case State::kValue:
      return ReadValue();
  }
  return Fail("unreachable");
}

Token JsonScanner::ReadAfterValue() {
  const int c = Peek();
  if (failed_) return Token::kError;
  if (frames_.empty()) return c < 0 ? Token::kEnd : Fail("text after the end of the document");
  const bool in_object = frames_.back().is_object;
  if (c == (in_object ? '}' : ']')) return Close();
  if (c < 0) return Fail("the document ends too early");
  if (c != ',') return Fail(in_object ? "expected , or }" : "expected , or ]");
  ++at_;
  state_ = in_object ? State::kKey : State::kValue;
  return Next();
}

Token JsonScanner::Open(bool is_object) {
  if (frames_.size() >= options_.max_depth) {
    return Fail("nested deeper than " + std::to_string(options_.max_depth));
  }
  ++at_;
  frames_.emplace_back(is_object, key_hashes_.size());
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
  if (c < 0) return Fail("the document ends too early");
  if (c != '"') return Fail("expected a key in double quotes");
  String key;
  if (!ScanString(kMaxKeyBytes, &key)) return Token::kError;
  if (key.cut) return FailAt(token_offset_, "a key is too long");
  if (key.has_nul) return FailAt(token_offset_, "a key holds NUL");
  text_.assign(key.text);
  if (!IsNewKey(text_)) return FailAt(token_offset_, "duplicate key " + Quote(text_));
  if (!SkipSpace()) return Token::kError;
  if (Peek() != ':') return Fail("expected : after a key");
  ++at_;
  state_ = State::kValue;
  return Token::kKey;
}

bool JsonScanner::IsNewKey(std::string_view key) {
  const uint64_t hash = HashKey(key);
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
      return Fail(offset() == 0 ? "empty input" : "the document ends too early");
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
      if (offset() == 0) return Fail("a byte order mark is not JSON");
      return Fail("expected a value");
    default:
      return IsDigit(first) || first == '-' ? ReadNumber() : Fail("expected a value");
  }
}

Token JsonScanner::ReadWord(std::string_view word, Token token) {
  for (const char c : word) {
    if (Peek() != c) return FailAt(token_offset_, "expected a value");
    ++at_;
  }
  state_ = State::kAfterValue;
  return token;
}

// At least one digit; appends what fits to text_.
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

bool JsonScanner::TakeString(size_t limit, String* out) {
  if (!string_pending_) {
    Fail("not at a string");
    return false;
  }
  string_pending_ = false;
  return ScanString(limit, out);
}

// Opens at the quote. A string that lies in one chunk without escapes is returned as it lies there.
bool JsonScanner::ScanString(size_t limit, String* out) {
  ++at_;
  StringState state;
  state.limit = limit;
  const std::string_view rest = chunk_.substr(at_);
  const size_t plain = PlainPrefix(rest);
  if (plain < rest.size() && rest[plain] == '"') {
    at_ += plain + 1;
    *out = String{rest.substr(0, plain < limit ? plain : limit), plain > limit};
    return true;
  }
  string_.clear();
  state.keep = &string_;
  for (;;) {
    const int c = Peek();
    if (failed_) return false;
    if (c < 0) return Fail("this string has no end"), false;
    if (c == '"') break;
    if (c == '\\') {
      if (!ScanEscape(state)) return false;
    } else if (c < 0x20) {
      return Fail("a control character in a string"), false;
    } else if (c >= 0x80) {
      if (!ScanMultibyte(state)) return false;
    } else {
      const size_t length = PlainPrefix(chunk_.substr(at_));
      Put(state, chunk_.substr(at_, length));
      at_ += length;
    }
    if (limit == 0) SkipFast();
  }
  ++at_;
  FlushSurrogate(state);
  state.found.text = string_;
  *out = state.found;
  return true;
}

void JsonScanner::SkipFast() {
  const char* const end = chunk_.data() + chunk_.size();
  at_ = static_cast<size_t>(SkipContent(chunk_.data() + at_, end) - chunk_.data());
}

void JsonScanner::FlushSurrogate(StringState& state) {
  if (state.high_surrogate == 0) return;
  const uint32_t lone = std::exchange(state.high_surrogate, 0);
  state.found.has_lone_surrogate = true;
  PutCodePoint(state, lone);
}

void JsonScanner::Put(StringState& state, std::string_view bytes) {
  FlushSurrogate(state);
  const size_t room = state.limit - state.keep->size();
  if (bytes.size() > room) state.found.cut = true;
  state.keep->append(bytes.substr(0, room));
}

void JsonScanner::PutCodePoint(StringState& state, uint32_t value) {
  std::string bytes;
  AppendUtf8(bytes, value);
  Put(state, bytes);
}

bool JsonScanner::ScanEscape(StringState& state) {
  ++at_;
  const int c = Peek();
  if (c < 0) return Fail("this string has no end"), false;
  ++at_;
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  if (c != 'u') {
    const size_t i = kNames.find(static_cast<char>(c));
    if (i == std::string_view::npos) return Fail("no such escape in a string"), false;
    Put(state, kValues.substr(i, 1));
    return true;
  }
  uint32_t unit = 0;
  if (!ScanHex(&unit)) return false;
  const bool low = unit >= 0xDC00 && unit <= 0xDFFF;
  if (low && state.high_surrogate != 0) {
    const uint32_t high = std::exchange(state.high_surrogate, 0);
    PutCodePoint(state, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
    return true;
  }
  FlushSurrogate(state);
  if (unit >= 0xD800 && unit <= 0xDBFF) {
    state.high_surrogate = unit;
    return true;
  }
  if (low) state.found.has_lone_surrogate = true;
  if (unit == 0) state.found.has_nul = true;
  PutCodePoint(state, unit);
  return true;
}

bool JsonScanner::ScanHex(uint32_t* value) {
  for (int i = 0; i < 4; ++i) {
    const int c = Peek();
    const int lower = c | 0x20;
    if (!IsDigit(c) && !(lower >= 'a' && lower <= 'f')) {
      return Fail("\\u needs four hexadecimal digits"), false;
    }
    *value = (*value << 4) | static_cast<uint32_t>(IsDigit(c) ? c - '0' : lower - 'a' + 10);
    ++at_;
  }
  return true;
}

// One code point of two to four bytes, which may lie across two chunks.
bool JsonScanner::ScanMultibyte(StringState& state) {
  const CodePoint here = DecodeUtf8(chunk_.substr(at_));
  if (here.length != 0) {
    Put(state, chunk_.substr(at_, here.length));
    at_ += here.length;
    return true;
  }
  const size_t start = offset();
  std::string bytes;
  while (bytes.size() < 4 && Peek() >= 0x80) {
    bytes.push_back(chunk_[at_++]);
    const CodePoint point = DecodeUtf8(bytes);
    if (point.length == 0) continue;
    Put(state, bytes);
    return true;
  }
  return FailAt(start, "invalid UTF-8"), false;
}

}  // namespace ringfence
