#include "cli/common/markup.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/ascii.h"
#include "base/sha256.h"
#include "base/text.h"

namespace ringfence {
namespace {

std::string_view Entity(char c) {
  constexpr std::pair<char, std::string_view> kEntities[] = {
      {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  for (const auto& [character, entity] : kEntities) {
    if (character == c) return entity;
  }
  return "";
}

std::string Base64OfHex(std::string_view hex) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  // Six hex digits are three bytes, which become four characters.
  for (size_t i = 0; i < hex.size(); i += 6) {
    const std::string_view part = hex.substr(i, 6);
    uint32_t bits = 0;
    for (size_t j = 0; j < 6; ++j) {
      bits = bits << 4 | (j < part.size() ? static_cast<uint32_t>(HexValue(part[j])) : 0);
    }
    const size_t characters = part.size() / 2 + 1;
    for (size_t j = 0; j < 4; ++j) {
      out += j < characters ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return out;
}

}  // namespace

std::string Markup(std::string_view text) {
  const std::string printable = Printable(text);
  std::string out;
  out.reserve(printable.size());
  for (std::string_view rest = printable; !rest.empty();) {
    const std::string_view entity = Entity(rest.front());
    // XML does not allow U+FFFE and U+FFFF.
    const bool is_foreign = rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF");
    if (is_foreign) {
      out += "\xEF\xBF\xBD";
    } else if (!entity.empty()) {
      out += entity;
    } else {
      out += rest.front();
    }
    rest.remove_prefix(is_foreign ? 3 : 1);
  }
  return out;
}

std::string Markup(std::string_view text, size_t limit) { return Markup(Legible(text, limit)); }

std::string Legible(std::string_view text, size_t limit) {
  return CutText(Printable(text.substr(0, limit + 4)), limit);
}

std::string ScriptJson(const OrderedJson& json) {
  // U+FFFE and U+FFFF are noncharacters. The others occur in JSON only within strings.
  constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"<", "\\u003c"},
      {">", "\\u003e"},
      {"&", "\\u0026"},
      {"\xE2\x80\xA8", "\\u2028"},
      {"\xE2\x80\xA9", "\\u2029"},
      {"\xEF\xBF\xBE", "\\ufffd"},
      {"\xEF\xBF\xBF", "\\ufffd"}};
  const std::string text = JsonText(json);
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const auto* escape = std::ranges::find_if(
        kEscapes, [&](const auto& pair) { return rest.starts_with(pair.first); });
    const bool is_plain = escape == std::end(kEscapes);
    out += is_plain ? rest.substr(0, 1) : escape->second;
    rest.remove_prefix(is_plain ? 1 : escape->first.size());
  }
  return out;
}

std::string Fill(std::string_view page, std::span<const Slot> slots) {
  std::string out;
  while (true) {
    const size_t begin = page.find("{{");
    const size_t end = page.find("}}", std::min(begin, page.size()));
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    const auto slot = std::ranges::find(slots, name, &Slot::name);
    out += page.substr(0, begin);
    if (slot != slots.end()) out += slot->value;
    page.remove_prefix(end + 2);
  }
  return out.append(page);
}

std::string PolicyHash(std::string_view text) {
  return "'sha256-" + Base64OfHex(Sha256Hex(text)) + "'";
}

}  // namespace ringfence
