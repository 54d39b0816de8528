#include "base/utf8.h"

namespace ringfence {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

struct Lead {
  uint32_t bits = 0;
  size_t length = 0;
  uint32_t least = 0;  // smallest value allowed at this length
};

Lead ReadLead(unsigned char byte) {
  if (byte < 0x80) return {byte, 1, 0};
  if (byte >= 0xC2 && byte <= 0xDF) return {byte & 0x1Fu, 2, 0x80};
  if (byte >= 0xE0 && byte <= 0xEF) return {byte & 0x0Fu, 3, 0x800};
  if (byte >= 0xF0 && byte <= 0xF4) return {byte & 0x07u, 4, 0x10000};
  return {};
}

constexpr CodeRange kTrimmed[] = {
    {0x09, 0x0D},     {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
    {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};

// Unicode general category Cc, and the Cf, Zl and Zp characters that change how a line reads.
constexpr CodeRange kInvisible[] = {{0x00, 0x1F},     {0x7F, 0x9F},      {0xAD, 0xAD},
                                    {0x61C, 0x61C},   {0x180E, 0x180E},  {0x200B, 0x200F},
                                    {0x2028, 0x202E}, {0x2060, 0x206F},  {0xFEFF, 0xFEFF},
                                    {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};

// Unicode general category Zs without U+0020, and letters and marks without ink.
constexpr CodeRange kBlank[] = {
    {0xA0, 0xA0},     {0x34F, 0x34F},   {0x115F, 0x1160}, {0x1680, 0x1680},  {0x17B4, 0x17B5},
    {0x180B, 0x180F}, {0x2000, 0x200A}, {0x202F, 0x202F}, {0x205F, 0x205F},  {0x2800, 0x2800},
    {0x3000, 0x3000}, {0x3164, 0x3164}, {0xFFA0, 0xFFA0}, {0x1D159, 0x1D159}};

template <typename IsRemoved>
std::string_view TrimWhere(std::string_view text, IsRemoved is_removed) {
  for (;;) {
    const CodePoint first = DecodeUtf8(text);
    if (first.length == 0 || !is_removed(first.value)) break;
    text.remove_prefix(first.length);
  }
  while (!text.empty()) {
    size_t start = text.size() - 1;
    while (start > 0 && text.size() - start < 4 && IsContinuation(text[start])) --start;
    const CodePoint last = DecodeUtf8(text.substr(start));
    if (last.length != text.size() - start || !is_removed(last.value)) break;
    text.remove_suffix(last.length);
  }
  return text;
}

}  // namespace

CodePoint DecodeUtf8(std::string_view text) {
  if (text.empty()) return {};
  const Lead lead = ReadLead(static_cast<unsigned char>(text[0]));
  if (lead.length == 0 || text.size() < lead.length) return {};
  uint32_t value = lead.bits;
  for (size_t i = 1; i < lead.length; ++i) {
    if (!IsContinuation(text[i])) return {};
    value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < lead.least || value > 0x10FFFF || surrogate) return {};
  return {value, lead.length};
}

void AppendUtf8(std::string& out, uint32_t value) {
  const auto put = [&out](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  const int more = value < 0x80 ? 0 : value < 0x800 ? 1 : value < 0x10000 ? 2 : 3;  // bytes
  constexpr uint32_t kLeads[] = {0, 0xC0, 0xE0, 0xF0};
  put(kLeads[more] | (value >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) put(0x80 | ((value >> (6 * i)) & 0x3F));
}

bool IsInRange(uint32_t value, std::span<const CodeRange> ranges) {
  for (const CodeRange& range : ranges) {
    if (value >= range.first && value <= range.last) return true;
  }
  return false;
}

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = DecodeUtf8(text);
    if (point.length == 0) return false;
    text.remove_prefix(point.length);
  }
  return true;
}

bool IsTrimmed(uint32_t value) { return IsInRange(value, kTrimmed); }

bool IsInvisible(uint32_t value) { return IsInRange(value, kInvisible); }

bool LooksBlank(uint32_t value) { return IsInRange(value, kBlank); }

std::string_view TrimSpace(std::string_view text) { return TrimWhere(text, IsTrimmed); }

std::string_view TrimUnseen(std::string_view text) {
  return TrimWhere(text, [](uint32_t value) { return IsTrimmed(value) || IsInvisible(value); });
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

}  // namespace ringfence
