#include "policy/rules/address.h"

#include <algorithm>
#include <span>

#include "base/ascii.h"
#include "base/read_number.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kGroups = 8;  // of 16 bits
constexpr size_t kMappedPrefix = 12;

bool ParseQuad(std::string_view text, std::span<uint8_t> out) {
  for (size_t part = 0; part < 4; ++part) {
    const size_t dot = part == 3 ? text.size() : text.find('.');
    if (dot == std::string_view::npos || dot == 0 || dot > 3) return false;
    if (dot > 1 && text[0] == '0') return false;
    if (!ReadNumber(text.substr(0, dot), out[part])) return false;
    text.remove_prefix(part == 3 ? dot : dot + 1);
  }
  return true;
}

// Parses groups of hexadecimal digits between colons; the last two may be a dotted quad. Returns
// the number of bytes, or nothing.
std::optional<size_t> ParseGroups(std::string_view text, std::span<uint8_t> out) {
  size_t size = 0;
  while (!text.empty()) {
    const size_t colon = std::min(text.find(':'), text.size());
    const std::string_view group = text.substr(0, colon);
    if (colon == text.size() && group.find('.') != std::string_view::npos) {
      if (size + 4 > out.size() || !ParseQuad(group, out.subspan(size, 4))) return {};
      return size + 4;
    }
    if (group.empty() || group.size() > 4 || size + 2 > out.size()) return {};
    unsigned value = 0;
    for (const char c : group) {
      const int digit = HexValue(c);
      if (digit < 0) return {};
      value = value * 16 + static_cast<unsigned>(digit);
    }
    out[size++] = static_cast<uint8_t>(value >> 8);
    out[size++] = static_cast<uint8_t>(value);
    if (colon == text.size()) return size;
    text.remove_prefix(colon + 1);
    if (text.empty()) return {};  // it ends in a colon
  }
  return size;
}

std::optional<Address> ParseIpv6(std::string_view text) {
  Address address{};
  const size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    if (ParseGroups(text, address) != address.size()) return {};
    return address;
  }
  Address tail{};
  const std::string_view head_text = text.substr(0, gap);
  if (head_text.find('.') != std::string_view::npos) return {};
  const auto head_size = ParseGroups(head_text, address);
  const auto tail_size = ParseGroups(text.substr(gap + 2), tail);
  // "::" replaces at least one group.
  if (!head_size || !tail_size || *head_size + *tail_size > address.size() - 2) return {};
  std::copy_n(tail.begin(), *tail_size, address.end() - static_cast<ptrdiff_t>(*tail_size));
  return address;
}

bool IsMapped(const Address& address) {
  return std::all_of(address.begin(), address.begin() + 10, [](uint8_t b) { return b == 0; }) &&
         address[10] == 0xFF && address[11] == 0xFF;
}

unsigned GroupAt(const Address& address, size_t i) {
  return address[2 * i] * 256u + address[2 * i + 1];
}

// The longest run of at least two zero groups; the first one of equal length.
struct GroupRun {
  size_t begin = kGroups, size = 1;
};
GroupRun ZeroRun(const Address& address) {
  GroupRun best;
  for (size_t i = 0; i < kGroups; ++i) {
    size_t end = i;
    while (end < kGroups && GroupAt(address, end) == 0) ++end;
    if (end - i > best.size) best = {i, end - i};
  }
  return best;
}

int HexDigits(unsigned value) { return value > 0xFFF ? 4 : value > 0xFF ? 3 : value > 0xF ? 2 : 1; }

}  // namespace

std::optional<Address> ParseAddress(std::string_view host) {
  if (host.starts_with('[')) {
    if (host.size() < 4 || !host.ends_with(']')) return {};
    return ParseIpv6(host.substr(1, host.size() - 2));
  }
  Address address{};
  address[10] = address[11] = 0xFF;
  if (!ParseQuad(host, std::span(address).subspan(kMappedPrefix))) return {};
  return address;
}

std::string AddressText(const Address& address) {
  std::string text;
  if (IsMapped(address)) {
    for (size_t i = kMappedPrefix; i < address.size(); ++i) {
      if (!text.empty()) text.push_back('.');
      text += std::to_string(address[i]);
    }
    return text;
  }
  const GroupRun gap = ZeroRun(address);
  text = "[";
  for (size_t i = 0; i < kGroups;) {
    if (i == gap.begin) {
      text += "::";
      i += gap.size;
      continue;
    }
    if (text.size() > 1 && !text.ends_with(':')) text.push_back(':');
    const unsigned group = GroupAt(address, i++);
    AppendHex(text, group, HexDigits(group));
  }
  return text + "]";
}

}  // namespace ringfence
