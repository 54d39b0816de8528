#include "sandbox/names_text.h"

#include <algorithm>
#include <utility>

#include "base/read_number.h"

namespace ringfence {
namespace {

constexpr size_t kMaxCount = 10'000;
constexpr auto kMaxRuleDepth = 64;  // directories in a rule; limits the time per call

constexpr std::pair<char, bool GuardedName::*> kFlagLetters[] = {
    {'p', &GuardedName::has_pattern},   {'a', &GuardedName::is_anywhere},
    {'n', &GuardedName::unless_new},    {'w', &GuardedName::comes_whole},
    {'s', &GuardedName::not_in_stores}, {'r', &GuardedName::holds_root}};

// Every field ends with NUL, which no path contains.
void PutField(std::string& bytes, std::string_view field) {
  bytes += field;
  bytes += '\0';
}

void PutName(std::string& bytes, const GuardedName& name) {
  for (const std::string* field : {&name.base, &name.tail, &name.except, &name.why}) {
    PutField(bytes, *field);
  }
  std::string flags;
  for (const auto& [letter, flag] : kFlagLetters) {
    if (name.*flag) flags += letter;
  }
  PutField(bytes, flags);
}

class NamesReader {
 public:
  explicit NamesReader(std::string_view bytes) : rest_(bytes) {}

  bool is_sound() const { return sound_; }
  bool is_at_end() const { return rest_.empty(); }

  std::string Field() {
    const size_t end = rest_.find('\0');
    if (end == std::string_view::npos) {
      sound_ = false;
      return "";
    }
    std::string field(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return field;
  }

  size_t Count() {
    size_t count = 0;
    if (!ReadNumber(Field(), count) || count > kMaxCount) sound_ = false;
    return sound_ ? count : 0;
  }

  GuardedName Name() {
    GuardedName name{.base = Field(), .tail = Field(), .except = Field()};
    name.why = Field();
    const std::string flags = Field();
    for (const auto& [letter, flag] : kFlagLetters)
      name.*flag = flags.find(letter) != std::string::npos;
    if (!name.base.starts_with('/')) sound_ = false;
    if (std::ranges::count(name.tail, '/') >= kMaxRuleDepth) sound_ = false;
    const bool is_anywhere = name.has_pattern && name.tail.starts_with("**/");
    if (name.is_anywhere && (!is_anywhere || name.base != "/")) sound_ = false;
    return name;
  }

 private:
  std::string_view rest_;
  bool sound_ = true;
};

}  // namespace

std::string PackNames(const GuardedNames& names) {
  std::string bytes;
  PutField(bytes, std::to_string(names.rules().size()));
  for (const GuardedName& name : names.rules()) PutName(bytes, name);
  PutField(bytes, std::to_string(names.allow_only().size()));
  for (const std::vector<GuardedName>& list : names.allow_only()) {
    PutField(bytes, std::to_string(list.size()));
    for (const GuardedName& name : list) PutName(bytes, name);
  }
  PutField(bytes, std::to_string(names.held().size()));
  for (const GuardedName& name : names.held()) PutName(bytes, name);
  PutField(bytes, std::to_string(names.package_stores().size()));
  for (const std::string& store : names.package_stores()) PutField(bytes, store);
  PutField(bytes, names.root().text());
  PutField(bytes, names.bare_why());
  return bytes;
}

std::optional<GuardedNames> UnpackNames(std::string_view bytes) {
  NamesReader reader(bytes);
  GuardedNames names;
  for (size_t left = reader.Count(); left > 0 && reader.is_sound(); --left) {
    names.Refuse(reader.Name());
  }
  for (size_t lists = reader.Count(); lists > 0 && reader.is_sound(); --lists) {
    std::vector<GuardedName> list;
    for (size_t left = reader.Count(); left > 0 && reader.is_sound(); --left) {
      list.push_back(reader.Name());
    }
    names.AllowOnly(std::move(list));
  }
  for (size_t left = reader.Count(); left > 0 && reader.is_sound(); --left) {
    GuardedName name = reader.Name();
    names.HoldInPlace(Path::Clean(name.base), std::move(name.why));
  }
  std::vector<std::string> stores;
  for (size_t left = reader.Count(); left > 0 && reader.is_sound(); --left) {
    stores.push_back(reader.Field());
  }
  names.SetPackageStores(std::move(stores), Path::Clean(reader.Field()));
  names.GuardBareRepositories(reader.Field());
  if (!reader.is_sound() || !reader.is_at_end()) return {};
  return names;
}

}  // namespace ringfence
