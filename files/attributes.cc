#include "files/attributes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/sha256.h"
#include "base/syscall.h"
#include "files/system_calls.h"

namespace ringfence {
namespace {

constexpr std::string_view kMark = "user.overlay.";

bool IsMark(std::string_view name) { return name.starts_with(kMark); }

constexpr size_t kMaxList = 65536;  // xattr(7): the limits of Linux
constexpr size_t kMaxValue = 65536;

// The bytes that `call(buffer, size)` reads; "" if it fails. Most are short.
template <typename Call>
std::string BytesFrom(const Call& call, size_t most) {
  std::array<char, 1024> few{};
  const ssize_t size = call(few.data(), few.size());
  if (size >= 0) return {few.data(), static_cast<size_t>(size)};
  if (errno != ERANGE) return "";
  std::string bytes(most, '\0');
  const ssize_t read = call(bytes.data(), bytes.size());
  bytes.resize(read < 0 ? 0 : static_cast<size_t>(read));
  return bytes;
}

// The names in a list of xattr(7), sorted.
std::vector<std::string> NamesInList(std::string_view list, bool keeps_marks) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find('\0'));
    list.remove_prefix(std::min(name.size() + 1, list.size()));
    if (IsMark(name) ? keeps_marks : IsUsersAttribute(name)) names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> NamesAt(int fd, bool keeps_marks) {
  const auto list = [fd](char* data, size_t size) { return ListAttributes(fd, data, size); };
  return NamesInList(BytesFrom(list, kMaxList), keeps_marks);
}

std::string AttributeValue(int fd, const std::string& name) {
  const auto get = [&](char* data, size_t size) {
    return ReadAttribute(fd, name.c_str(), data, size);
  };
  return BytesFrom(get, kMaxValue);
}

}  // namespace

void AddAttributes(int folder, const std::string& name, Entry& entry) {
  if (!entry.is_file() && !entry.is_directory()) return;
  const NamedAttributes attributes(folder, name);
  const auto list = [&](char* data, size_t size) { return attributes.List(data, size); };
  for (const std::string& one : NamesInList(BytesFrom(list, kMaxList), false)) {
    const auto get = [&](char* data, size_t size) {
      return attributes.Read(one.c_str(), data, size);
    };
    entry.attributes.push_back({one, Sha256Hex(BytesFrom(get, kMaxValue))});
  }
}

std::string AttributesDigest(const Entry& entry) {
  std::string text;
  for (const Entry::Attribute& one : entry.attributes) text += one.name + '\0' + one.digest + '\0';
  return Sha256Hex(text);
}

std::vector<std::string> DifferentAttributes(const Entry& one, const Entry& other) {
  std::vector<Entry::Attribute> different;
  std::ranges::set_symmetric_difference(one.attributes, other.attributes,
                                        std::back_inserter(different));
  std::vector<std::string> names;
  for (const Entry::Attribute& attribute : different) {
    if (names.empty() || names.back() != attribute.name) names.push_back(attribute.name);
  }
  return names;
}

void CopyAttributes(int from, int to, bool keeps_marks) {
  const std::vector<std::string> names = NamesAt(from, keeps_marks);
  // What the new file has from its directory: an access control list.
  for (const std::string& name : NamesAt(to, keeps_marks)) {
    if (!std::ranges::binary_search(names, name)) RemoveAttribute(to, name.c_str());
  }
  for (const std::string& name : names) {
    WriteAttribute(to, name.c_str(), AttributeValue(from, name));
  }
}

Result<AttributeValues> ReadAttributes(int fd) {
  constexpr size_t kMost = size_t{1} << 20;
  AttributeValues values;
  size_t bytes = 0;
  for (std::string& name : NamesAt(fd, false)) {
    std::string value = AttributeValue(fd, name);
    bytes += name.size() + value.size();
    if (bytes > kMost) return SystemError("fgetxattr", E2BIG);
    values.emplace_back(std::move(name), std::move(value));
  }
  return values;
}

Status ReplaceAttributes(int fd, const AttributeValues& values) {
  for (const std::string& name : NamesAt(fd, false)) {
    if (std::ranges::binary_search(values, name, {}, &AttributeValues::value_type::first)) continue;
    if (!RemoveAttribute(fd, name.c_str())) return SystemError("fremovexattr");
  }
  for (const auto& [name, value] : values) {
    if (!WriteAttribute(fd, name.c_str(), value) && errno != EOPNOTSUPP)
      return SystemError("fsetxattr");
  }
  return Unit{};
}

}  // namespace ringfence
