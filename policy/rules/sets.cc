#include "policy/rules/sets.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/case_fold.h"
#include "base/name_bits.h"
#include "policy/agent.h"
#include "policy/rules/entry_match.h"
#include "policy/rules/runs_later_list.h"
#include "policy/rules/secrets_list.h"

namespace ringfence {
namespace {

class ProjectPlace {
 public:
  explicit ProjectPlace(const SetContext& context);  // `context` outlives this

  // False if the project cannot be inside the entry, which is nearly always the case.
  bool MayLieIn(const SetEntry& entry) const { return HasNameBits(name_bits_, entry.name_bits); }

  // Excludes the project from the entry; false if nothing of the entry remains.
  bool LeaveOutOf(SetEntry& entry, std::deque<std::string>& strings) const;

 private:
  void Add(const Path& root);

  const SetContext& context_;
  uint64_t name_bits_ = 0;                     // of all roots
  std::vector<std::string> folded_;            // the roots, relative to "/"
  std::vector<std::string_view> below_homes_;  // the roots, relative to each home above them
};

ProjectPlace::ProjectPlace(const SetContext& context) : context_(context) {
  Add(context.root);
  if (context.given_root && *context.given_root != context.root) Add(*context.given_root);
}

void ProjectPlace::Add(const Path& root) {
  folded_.push_back(FoldName(root.text()).substr(1));
  name_bits_ |= NameBitsOf(folded_.back());
  for (const Path& home : context_.homes) {
    if (const auto below = root.Below(home)) below_homes_.push_back(*below);
  }
}

bool ProjectPlace::LeaveOutOf(SetEntry& entry, std::deque<std::string>& strings) const {
  if (entry.base == RuleBase::kAnywhere) {
    const auto holds = [&](const std::string& root) { return MatchFolded(entry.tail, root); };
    entry.holds_root = std::ranges::any_of(folded_, holds);
    return true;
  }
  if (entry.base != RuleBase::kHome || entry.has_pattern) return true;
  for (const std::string_view root : below_homes_) {
    if (!Covers(entry.tail, root)) continue;
    const std::string_view rest = root.substr(std::min(entry.tail.size() + 1, root.size()));
    if (rest.empty()) return false;
    if (rest.find_first_of("\n*") != std::string_view::npos) continue;  // impossible in `except`
    std::string except(entry.except.text());
    except.append(rest) += '\n';
    entry.except = WordList(strings.emplace_back(std::move(except)));
  }
  return true;
}

constexpr PathSet kSets[] = {
    {"@secrets", SetName::kSecrets, false,
     "keys, tokens and credentials; other projects' transcripts"},
    {"@claude-scratch", SetName::kAgentScratch, true,
     "what the client shows this session: memory, plans, tool results, task output, skills"},
    {"@runs-later", SetName::kRunsLater, false,
     "files that can run code later: git hooks, CI workflows, shell start-up files"},
    {"@dotenv", SetName::kDotenv, false,
     "secrets of applications: .env and .env.*, but not .env.example"},
    {"@toolchains", SetName::kToolchains, true,
     "system headers and libraries, module and package caches"},
    {"@agent-state", SetName::kAgentState, true, "the client's own state, without its settings"},
    {"@tmp", SetName::kTmp, true, "the host's temporary directories"},
};

// Names of sample files, which contain no secrets.
constexpr std::string_view kSamples = "*.example\n*.sample\n*.template\n*.dist\n";

// clang-format off
constexpr WordList kToolchains(
    "/usr/include\n/usr/lib\n/usr/lib32\n/usr/lib64\n/usr/libexec\n/usr/share\n"
    "/usr/local/include\n/usr/local/lib\n/usr/local/share\n/usr/local/go\n/usr/src\n"
    "/lib\n/lib32\n/lib64\n/opt/homebrew\n/usr/local/Cellar\n"
    "/Library/Developer/CommandLineTools\n/Applications/Xcode.app/Contents/Developer\n"
    "~/.rustup\n~/.cargo/registry\n~/.cargo/git\n~/go/pkg/mod\n~/.m2/repository\n"
    "~/.gradle/caches\n~/.gradle/wrapper\n~/.nuget/packages\n~/.npm/_cacache\n~/.nvm\n"
    "~/.local/share/pnpm\n~/.cache/yarn\n~/.cache/pip\n~/.cache/uv\n"
    "~/.local/share/uv/python\n~/.local/share/uv/tools\n"
    "~/.pyenv/versions\n~/.local/lib\n~/.gem/ruby\n~/.rbenv/versions\n~/.conan2/p\n"
    "~/.vcpkg\n~/.cache/ccache\n~/.cache/go-build\n~/.sdkman/candidates\n"
    "/nix/store\n/home/linuxbrew/.linuxbrew\n/opt/conda\n/usr/local/cuda\n"
    "/usr/local/cargo\n/usr/local/rustup\n~/miniconda3\n~/miniforge3\n~/anaconda3\n"
    "~/.local/share/virtualenvs\n~/.virtualenvs\n~/.cache/pypoetry\n~/.npm-global\n"
    "~/.npm/_logs\n~/.volta/tools\n~/.local/share/fnm\n~/.bun/install\n~/.yarn/berry\n"
    "~/.cache/pnpm\n~/.asdf/installs\n~/.local/share/mise/installs\n"
    "~/.pub-cache/hosted\n~/.pub-cache/git\n~/.pub-cache/global_packages\n~/.pub-cache/bin\n"
    "~/.hex/packages\n~/.hex/cache.ets\n"
    "~/.mix\n~/.opam\n~/.ivy2/cache\n~/.ivy2/local\n~/.cache/coursier\n~/.cache/composer\n"
    "~/.ghcup\n~/.stack\n"
    "~/.cabal/packages\n~/Android/Sdk\n~/.julia/packages\n/var/lib/gems\n"
    "~/.deno\n~/.platformio/packages\n");
// clang-format on

constexpr bool HasWildcard(std::string_view text) {
  return text.find('*') != std::string_view::npos;
}

// Sets the directory and the name that the tail begins with (SetEntry::listed_in).
constexpr void SetListedName(SetEntry& entry) {
  std::string_view tail = entry.tail;
  if (tail.starts_with("**/")) tail.remove_prefix(3);
  size_t in = 0;
  for (size_t i = 1; i < kListedFolders.size(); ++i) {
    if (tail.starts_with(kListedFolders[i]) &&
        tail.substr(kListedFolders[i].size()).starts_with('/')) {
      in = i;
    }
  }
  if (in != 0) tail.remove_prefix(kListedFolders[in].size() + 1);
  const std::string_view name = tail.substr(0, tail.find('/'));
  entry.listed_in = static_cast<uint8_t>(HasWildcard(name) ? kListedFolders.size() : in);
  entry.listed_name = NameFilter::IndexOf(name);
}

// Parses "~/.ssh", "/etc/shadow" or "**/.git/hooks".
constexpr SetEntry ParseEntry(std::string_view text) {
  SetEntry entry;
  entry.has_pattern = HasWildcard(text);
  if (text.starts_with("~/")) {
    entry.tail = text.substr(2);
  } else if (text.starts_with('/')) {
    entry.base = RuleBase::kAbsolute;
    entry.tail = text.substr(1);
  } else {
    entry.base = RuleBase::kAnywhere;
    entry.tail = text;
  }
  entry.name_bits = NameBitsNeededBy(entry.tail);
  SetListedName(entry);
  return entry;
}

// The position of an entry's tail in the text of its list.
struct EntryPlace {
  uint16_t offset = 0;
  uint16_t length = 0;
  RuleBase base = RuleBase::kHome;
  bool has_pattern = false;
  uint8_t listed_in = 0;
  uint16_t listed_name = 0;
  uint64_t name_bits = 0;
};

constexpr size_t CountOf(WordList words) {
  size_t count = 0;
  for ([[maybe_unused]] const std::string_view word : words) ++count;
  return count;
}

// A list, parsed at compile time because a replay expands it for each of its calls.
template <const WordList& kWords>
constexpr auto kPlaces = [] {
  std::array<EntryPlace, CountOf(kWords)> places;
  auto place = places.begin();
  for (const std::string_view word : kWords) {
    const SetEntry entry = ParseEntry(word);
    const auto offset = static_cast<uint16_t>(entry.tail.data() - kWords.text().data());
    *place++ = {.offset = offset,
                .length = static_cast<uint16_t>(entry.tail.size()),
                .base = entry.base,
                .has_pattern = entry.has_pattern,
                .listed_in = entry.listed_in,
                .listed_name = entry.listed_name,
                .name_bits = entry.name_bits};
  }
  return places;
}();

// Returns the added entries. The span is valid until more are added.
template <const WordList& kWords>
std::span<SetEntry> AppendEntries(std::vector<SetEntry>& entries) {
  static_assert(kWords.text().size() <= UINT16_MAX);
  const std::array<EntryPlace, CountOf(kWords)>& places = kPlaces<kWords>;
  const size_t before = entries.size();
  entries.resize(before + places.size());
  const std::span<SetEntry> added = std::span(entries).subspan(before);
  for (size_t i = 0; i < places.size(); ++i) {
    const EntryPlace& place = places[i];
    SetEntry& entry = added[i];
    entry.tail = kWords.text().substr(place.offset, place.length);
    entry.base = place.base;
    entry.has_pattern = place.has_pattern;
    entry.listed_in = place.listed_in;
    entry.listed_name = place.listed_name;
    entry.name_bits = place.name_bits;
  }
  return added;
}

// Collects the entries of a set that depend on the context.
class EntryBuilder {
 public:
  // All outlive this.
  EntryBuilder(const SetContext& context, std::deque<std::string>& strings,
               std::vector<SetEntry>& entries)
      : context_(context), strings_(strings), entries_(entries) {}

  SetEntry& Add(std::string text) {
    return entries_.emplace_back(ParseEntry(strings_.emplace_back(std::move(text))));
  }

  // Calls `set` for the entry of NAME in the agent's directory, below "~/" or "**/", and of the
  // same name in each directory that replaces it.
  void AddOfAgent(std::string_view base, std::string_view name, const auto& set) {
    const std::string_view folder = context_.agent->state.folder;
    std::string text;
    text.reserve(base.size() + folder.size() + 1 + name.size());  // each call builds some twenty
    text.append(base).append(folder).append("/").append(name);
    set(Add(std::move(text)));
    AddOfSettings(name, set);
  }
  void AddOfSettings(std::string_view name, const auto& set) {
    for (const Path& folder : context_.settings_folders) {
      if (folder.is_root()) continue;  // the names would be the system's
      const std::string_view text = strings_.emplace_back(folder.Child(name).text());
      set(entries_.emplace_back(SetEntry{.base = RuleBase::kAbsolute, .tail = text.substr(1)}));
    }
  }

 private:
  const SetContext& context_;
  std::deque<std::string>& strings_;
  std::vector<SetEntry>& entries_;
};

// True if the directory contains the project. Denying it would make the project unusable.
bool HoldsRoot(std::string_view text, const SetContext& context) {
  return std::ranges::any_of(context.homes, [&](const Path& home) {
    return context.root.IsInside(Path::Clean(home.text() + std::string(text.substr(1))));
  });
}

std::vector<SetEntry> Secrets(const SetContext& context, std::deque<std::string>& strings) {
  std::vector<SetEntry> entries;
  entries.reserve(kPlaces<kSecrets>.size() + 16);
  AppendEntries<kSecrets>(entries);
  EntryBuilder builder(context, strings, entries);
  for (const std::string_view name : context.agent->state.logins) {
    builder.AddOfAgent("~/", name, [](SetEntry&) {});
  }
  // Other projects' transcripts: everything below except this project's directory.
  const std::string& own = strings.emplace_back(context.agent->own_projects(context));
  builder.AddOfAgent("~/", context.agent->state.projects, [&](SetEntry& entry) {
    entry.except = WordList(own);
    entry.spares_memory = !context.memory_root;
  });
  if (!context.macos_names) return entries;
  AppendEntries<kMacosSecrets>(entries);
  for (const std::string_view text : kMacosPrivate) {
    if (!HoldsRoot(text, context)) entries.push_back(ParseEntry(text));
  }
  return entries;
}

std::vector<SetEntry> Dotenv() {
  SetEntry plain = ParseEntry("**/.env");
  plain.has_pattern = true;
  SetEntry named = ParseEntry("**/.env.*");
  named.except = WordList(kSamples);
  return {plain, named};
}

std::vector<SetEntry> RunsLater(const SetContext& context, std::deque<std::string>& strings) {
  std::vector<SetEntry> entries;
  entries.reserve(kPlaces<kRunsLater>.size() + kPlaces<kRunsInProjects>.size() + 64);
  AppendEntries<kRunsLater>(entries);
  const Agent& agent = *context.agent;
  EntryBuilder builder(context, strings, entries);
  for (const std::string_view name : agent.runs_later) {
    builder.AddOfAgent("**/", name, [](SetEntry&) {});
  }
  for (const std::string_view name : agent.state_runs_later) {
    builder.AddOfAgent("**/", name, [](SetEntry& entry) { entry.is_for_tools = true; });
  }
  builder.Add("~/" + std::string(agent.state.file));
  builder.AddOfSettings(agent.state.file, [](SetEntry&) {});
  for (SetEntry& entry : AppendEntries<kRunsInProjects>(entries)) entry.not_in_stores = true;
  const ProjectPlace project(context);
  std::erase_if(entries, [&](SetEntry& entry) {
    return project.MayLieIn(entry) && !project.LeaveOutOf(entry, strings);
  });
  return entries;
}

}  // namespace

std::span<const PathSet> PathSets() { return kSets; }

const PathSet* FindPathSet(std::string_view name) {
  const auto* set = std::ranges::find(kSets, name, &PathSet::name);
  return set == std::end(kSets) ? nullptr : set;
}

std::string_view SetText(SetName set) {
  for (const PathSet& s : kSets) {
    if (s.set == set) return s.name;
  }
  return "";
}

std::string SetEntry::text() const {
  if (base == RuleBase::kHome) return tail.empty() ? "~" : "~/" + std::string(tail);
  return (base == RuleBase::kAbsolute ? "/" : "") + std::string(tail);
}

std::vector<SetEntry> ExpandSet(SetName set, Access access, const SetContext& context,
                                std::deque<std::string>& strings) {
  std::vector<SetEntry> entries;
  entries.reserve(64);
  switch (set) {
    case SetName::kNone:
      break;
    case SetName::kSecrets:
      return Secrets(context, strings);
    case SetName::kAgentScratch:
      return context.agent->scratch(access, context, strings);
    case SetName::kRunsLater:
      return RunsLater(context, strings);
    case SetName::kDotenv:
      return Dotenv();
    case SetName::kToolchains:
      AppendEntries<kToolchains>(entries);
      break;
    case SetName::kAgentState:
      for (const std::string_view name : {context.agent->state.folder, context.agent->state.file}) {
        EntryBuilder(context, strings, entries).Add("~/" + std::string(name));
      }
      break;
    case SetName::kTmp:
      return {ParseEntry("/tmp"), ParseEntry("/var/tmp")};
  }
  return entries;
}

}  // namespace ringfence
