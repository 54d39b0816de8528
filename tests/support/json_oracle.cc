#include "tests/support/json_oracle.h"

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/text.h"
#include "tests/support/scan_text.h"

namespace ringfence {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxDepth = 200;
constexpr size_t kMaxKey = 64 * 1024;
constexpr int kNumberOverflow = 406;  // id of the exception in nlohmann::json

// Records the tokens and the features that the scanner refuses on purpose.
class Listener final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return Put("null"); }
  bool boolean(bool value) override { return Put(value ? "true" : "false"); }
  bool number_integer(number_integer_t /*value*/) override { return Put("#"); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return Put("#"); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return Put("#");
  }
  bool string(string_t& value) override {
    const bool has_nul = value.find('\0') != std::string::npos;
    return Put(JsonString(value) + (has_nul ? "0" : ""));
  }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override {
    keys_.emplace_back();
    return Open("{");
  }
  bool end_object() override {
    keys_.pop_back();
    return Close("}");
  }
  bool start_array(std::size_t /*size*/) override { return Open("["); }
  bool end_array() override { return Close("]"); }
  bool key(string_t& value) override {
    const bool is_new = keys_.back().insert(value).second;
    refused |= !is_new || value.find('\0') != std::string::npos || value.size() > kMaxKey;
    return Put(JsonString(value) + ":");
  }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    overflow = error.id == kNumberOverflow;
    return false;
  }

  bool refused = false;
  bool overflow = false;
  std::string tokens;

 private:
  bool Put(const std::string& token) {
    tokens += token + " ";
    return true;
  }
  bool Open(const char* token) {
    refused |= ++depth_ > kMaxDepth;
    return Put(token);
  }
  bool Close(const char* token) {
    --depth_;
    return Put(token);
  }

  size_t depth_ = 0;
  std::vector<std::set<std::string>> keys_;
};

// Reads the four digits of an escape at `at`; returns false if there is none.
bool ReadUnit(std::string_view text, size_t at, uint32_t* unit) {
  if (text.substr(at, 2) != "\\u" || at + 6 > text.size()) return false;
  *unit = 0;
  for (const char c : text.substr(at + 2, 4)) {
    const int lower = c | 0x20;
    if (c >= '0' && c <= '9') {
      *unit = *unit * 16 + static_cast<uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      *unit = *unit * 16 + static_cast<uint32_t>(lower - 'a' + 10);
    } else {
      return false;
    }
  }
  return true;
}

bool IsHigh(uint32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLow(uint32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Replaces each lone surrogate by a different character from the end of the last private plane,
// U+10F000 and up.
std::string WithoutLoneSurrogates(std::string_view text, bool* found) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    uint32_t unit = 0;
    uint32_t next = 0;
    if (text[i] == '\\' && !ReadUnit(text, i, &unit)) {
      out += text.substr(i, 2);  // another escape, whose second character must not begin one
      i += 2;
      continue;
    }
    if (!IsHigh(unit) && !IsLow(unit)) {
      out += text[i++];
      continue;
    }
    if (IsHigh(unit) && ReadUnit(text, i + 6, &next) && IsLow(next)) {
      out += text.substr(i, 12);
      i += 12;
      continue;
    }
    *found = true;
    const uint32_t offset = 0x10F000 + (unit - 0xD800) - 0x10000;
    char escaped[16];
    std::snprintf(escaped, sizeof escaped, "\\u%04x\\u%04x", 0xD800 + (offset >> 10),
                  0xDC00 + (offset & 0x3FF));
    out += escaped;
    i += 6;
  }
  return out;
}

}  // namespace

Opinion AskOracle(std::string_view text) {
  Opinion opinion;
  if (text.starts_with("\xEF\xBB\xBF") || text.find('\0') != std::string_view::npos) {
    return opinion;
  }
  Listener listener;
  const std::string readable = WithoutLoneSurrogates(text, &opinion.has_lone_surrogate);
  const bool parsed = Json::sax_parse(readable, &listener);
  opinion.is_known = !listener.overflow;
  opinion.is_accepted = parsed && !listener.refused;
  opinion.tokens = listener.tokens + ".";
  return opinion;
}

std::string Disagreement(std::string_view text) {
  const Opinion oracle = AskOracle(text);
  if (!oracle.is_known) return "";
  const bool is_accepted = IsAccepted(text);
  if (is_accepted != oracle.is_accepted) {
    return (is_accepted ? "only the scanner accepts " : "only the oracle accepts ") +
           Quote(text, 2000) + ": " + ScanError(text);
  }
  if (!is_accepted || oracle.has_lone_surrogate) return "";
  const std::string mine = Scan(text, {}, {.numbers = false});
  if (mine != oracle.tokens) return "read as " + mine + " and as " + oracle.tokens;
  return "";
}

}  // namespace ringfence
