#include "proxy/wire/http_line.h"

#include <algorithm>

#include "base/ascii.h"

namespace ringfence {
namespace {

constexpr std::string_view kHttpSpace = " \t";

}  // namespace

HttpLine FirstHttpLine(std::string_view bytes) {
  const size_t end = bytes.find_first_of("\r\n");
  HttpLine line{.text = bytes.substr(0, end)};
  if (end == std::string_view::npos) return line;
  line.is_whole = bytes[end] == '\r';
  if (line.is_whole && end + 1 == bytes.size()) return line;
  if (!line.is_whole || bytes[end + 1] != '\n') {
    line.end = HttpLine::End::kBare;
    return line;
  }
  line.end = HttpLine::End::kCrLf;
  line.size = end + 2;
  return line;
}

bool ReadHttpField(const HttpLine& line, HttpHeader& field, WireError& error) {
  const std::string_view text = line.text;
  const size_t colon = std::min(text.find(':'), text.size());
  const bool has_colon = colon < text.size();
  field.name = text.substr(0, colon);
  if (!text.empty() && kHttpSpace.find(text[0]) != std::string_view::npos) {
    return RefuseHttp(error, "has a header that is continued on another line");
  }
  // This also refuses white space before the colon, which some programs ignore (RFC 9112, 5.1).
  if (!IsToken(field.name) && (has_colon || !field.name.empty())) {
    return RefuseHttp(error, "has a header whose name is not a token");
  }
  if (!has_colon) {
    return !line.is_whole || RefuseHttp(error, "has a header without a colon");
  }
  field.value = text.substr(colon + 1);
  if (!IsFieldText(field.value)) return RefuseHttp(error, "has a control character in a header");
  field.value = TrimHttpSpace(field.value);
  return true;
}

void AppendHttpField(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

bool IsFieldText(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c == '\t' || IsPrintableAscii(c) || !IsAscii(c); });
}

std::string_view TrimHttpSpace(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kHttpSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kHttpSpace) + 1);
}

bool RefuseHttp(WireError& error, std::string_view reason, uint16_t status) {
  error.reason = reason;
  error.status = status;
  return false;
}

}  // namespace ringfence
