#include "proxy/wire/http_head.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "proxy/wire/http_line.h"

namespace ringfence {
namespace {

// The parsers of start lines accept the beginning of a line that is not whole, as ReadHttpField().

bool IsTokenChar(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return IsAlnum(c) || kMarks.find(c) != std::string_view::npos;
}

bool IsVisible(char c) { return c > ' ' && IsPrintableAscii(c); }

// Other versions are not read as the nearest known one: 0.9 has no head, 2 has another framing.
bool ReadHttpVersion(const HttpLine& line, std::string_view version, int& minor, WireError& error) {
  constexpr std::string_view kName = "HTTP/";
  constexpr std::string_view k10 = "HTTP/1.0";
  constexpr std::string_view k11 = "HTTP/1.1";
  minor = version == k10 ? 0 : 1;
  if (version == k10 || version == k11) return true;
  if (!line.is_whole && (k10.starts_with(version) || k11.starts_with(version))) return true;
  return RefuseHttp(error, "has an HTTP version other than 1.0 and 1.1",
                    version.starts_with(kName) ? 505 : 400);
}

bool ReadRequestLine(const HttpLine& line, RequestHead& head, WireError& error) {
  const std::string_view text = line.text;
  const size_t method_end = std::min(text.find(' '), text.size());
  head.method = text.substr(0, method_end);
  if (line.is_whole && text.empty()) return RefuseHttp(error, "begins with an empty line");
  if (!text.empty() && !IsToken(head.method)) {
    return RefuseHttp(error, "does not begin with a method");
  }
  if (method_end == text.size()) return !line.is_whole || RefuseHttp(error, "has no target");
  const std::string_view rest = text.substr(method_end + 1);
  const size_t target_end = std::min(rest.find(' '), rest.size());
  head.target = rest.substr(0, target_end);
  if (!std::ranges::all_of(head.target, IsVisible)) {
    return RefuseHttp(error, "has a target with characters other than visible ASCII");
  }
  if (head.target.empty() && (line.is_whole || target_end < rest.size())) {
    return RefuseHttp(error, "has no target");
  }
  if (target_end == rest.size()) return !line.is_whole || RefuseHttp(error, "has no HTTP version");
  return ReadHttpVersion(line, rest.substr(target_end + 1), head.minor_version, error);
}

bool ReadStatusLine(const HttpLine& line, ResponseHead& head, WireError& error) {
  constexpr size_t kVersionSize = 8;
  constexpr size_t kStatusSize = 3;
  const HttpLine version{.text = line.text.substr(0, kVersionSize),
                         .is_whole = line.is_whole || line.text.size() > kVersionSize};
  if (!ReadHttpVersion(version, version.text, head.minor_version, error)) return false;
  const std::string_view rest = line.text.substr(version.text.size());
  const std::string_view digits = rest.substr(std::min<size_t>(1, rest.size()), kStatusSize);
  const bool is_short = digits.size() < kStatusSize;
  const bool in_range = digits.empty() || (digits[0] >= '1' && digits[0] <= '5');
  if ((!rest.empty() && rest[0] != ' ') || !std::ranges::all_of(digits, IsDigit) || !in_range ||
      (line.is_whole && is_short)) {
    return RefuseHttp(error, "has no status between 100 and 599");
  }
  if (is_short) return true;
  for (const char c : digits) head.status = head.status * 10 + (c - '0');
  // Some servers leave out the space before an empty reason.
  head.reason = rest.substr(1 + kStatusSize);
  if (head.reason.empty()) return true;
  if (head.reason[0] != ' ') return RefuseHttp(error, "has a status of more than three digits");
  head.reason.remove_prefix(1);
  return IsFieldText(head.reason) || RefuseHttp(error, "has a control character in its reason");
}

bool AddHttpField(const HttpLine& line, std::vector<HttpHeader>& headers, WireError& error) {
  if (line.text.empty()) return true;
  if (headers.size() == kMaxHeaders) return RefuseHttp(error, "has more than 100 headers", 431);
  HttpHeader field;
  if (!ReadHttpField(line, field, error)) return false;
  if (line.is_whole) headers.push_back(field);
  return true;
}

template <typename Head>
using StartLineReader = bool (*)(const HttpLine& line, Head& head, WireError& error);

// Checks the text of a line before its end, so that more bytes never change the error.
template <typename Head>
Progress ParseHttpHead(std::string_view bytes, StartLineReader<Head> read_start_line, Head& head,
                       WireError& error) {
  bytes = bytes.substr(0, kMaxHeadSize);
  Head read;
  while (true) {
    const HttpLine line = FirstHttpLine(bytes.substr(read.size));
    const bool is_start_line = read.size == 0;
    const bool is_valid = is_start_line ? read_start_line(line, read, error)
                                        : AddHttpField(line, read.headers, error);
    if (!is_valid) return Progress::kBad;
    if (line.end == HttpLine::End::kBare) {
      RefuseHttp(error, "has a line that does not end in CR LF");
      return Progress::kBad;
    }
    if (line.end == HttpLine::End::kOpen) {
      if (bytes.size() < kMaxHeadSize) return Progress::kNeedsMore;
      RefuseHttp(error, "has a head of more than 64 KB", 431);
      return Progress::kBad;
    }
    read.size += line.size;
    if (!is_start_line && line.text.empty()) break;
  }
  head = std::move(read);
  return Progress::kDone;
}

}  // namespace

Progress ParseRequestHead(std::string_view bytes, RequestHead& head, WireError& error) {
  return ParseHttpHead<RequestHead>(bytes, ReadRequestLine, head, error);
}

Progress ParseResponseHead(std::string_view bytes, ResponseHead& head, WireError& error) {
  const Progress progress = ParseHttpHead<ResponseHead>(bytes, ReadStatusLine, head, error);
  if (progress == Progress::kBad) error.status = 502;
  return progress;
}

bool IsHeader(std::string_view name, std::string_view wanted) {
  return std::ranges::equal(name, wanted, [](char a, char b) { return ToLower(a) == ToLower(b); });
}

const HttpHeader* OnlyHeader(const std::vector<HttpHeader>& headers, std::string_view name,
                             size_t& count) {
  const HttpHeader* found = nullptr;
  count = 0;
  for (const HttpHeader& header : headers) {
    if (!IsHeader(header.name, name)) continue;
    found = &header;
    ++count;
  }
  return count == 1 ? found : nullptr;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsTokenChar);
}

}  // namespace ringfence
