#include "policy/places.h"

#include <algorithm>
#include <cerrno>

#include "base/add_once.h"
#include "base/contains.h"
#include "base/text.h"
#include "policy/agent.h"
#include "policy/evaluate/evaluate_path.h"
#include "policy/evaluate/fix.h"
#include "policy/files/resolve.h"

namespace ringfence {
namespace {

#ifdef __APPLE__
constexpr bool kMacosNames = true;
#else
constexpr bool kMacosNames = false;
#endif

// Errors do not say where `path` came from; the caller adds that.
Result<Path> Resolved(const Path& path, const FileView& files) {
  Walked walked = Walk(path.text(), files);
  if (walked.stop == Walked::Stop::kEnd) return walked.end;
  const bool is_closed = walked.error && walked.error->code == EACCES;
  return UsageError("", Quote(path.text()) + " cannot be resolved" +
                            (is_closed ? ": a directory above it is closed to this user" : ""));
}

// Returns the homes in the user's lines "name:password:user:group:comment:home:shell".
std::vector<std::string> PasswdHomesIn(std::string_view text, uint32_t user) {
  constexpr size_t kUserField = 2;
  constexpr size_t kHomeField = 5;
  const std::string number = std::to_string(user);
  std::vector<std::string> homes;
  while (!text.empty()) {
    std::string_view line = TakeUntil(text, '\n');
    for (size_t field = 0; !line.empty(); ++field) {
      const std::string_view value = TakeUntil(line, ':');
      if (field == kUserField && value != number) break;
      if (field == kHomeField) homes.emplace_back(value);
    }
  }
  return homes;
}

struct Home {
  Path path;
  Path real;
};

void AddHome(const Home& home, Places& places) {
  AddOnce(places.homes, home.path);
  AddOnce(places.homes, home.real);
  AddOnce(places.homes_real, home.real);
}

void AddDenyOnlyHome(const Home& home, Places& places) {
  for (const Path& path : {home.path, home.real}) {
    if (!Contains(places.homes, path)) AddOnce(places.deny_only_homes, path);
  }
  AddHome(home, places);
}

Result<std::optional<Home>> GivenHome(std::string_view text, std::string_view name,
                                      const FileView& files) {
  if (text.empty()) return std::optional<Home>();
  const std::optional<Path> home = Path::Parse(text);
  if (!home) {
    return UsageError(std::string(name), Quote(text) + " is not an absolute path without \"..\"",
                      "give the absolute path of your home directory");
  }
  const Result<Path> real = Resolved(*home, files);
  if (!real) return UsageError(std::string(name), real.error().what, "");
  return std::optional(Home{*home, *real});
}

// Returns the user's homes in /etc/passwd that are not in `known` and may contain files. Reads the
// file itself, because getpwuid(3) in a static program loads libraries or asks a daemon. So it does
// not find the homes of users that only a directory service knows.
Result<std::vector<Home>> PasswdHomes(uint32_t user, const std::vector<Path>& known,
                                      const FileView& files) {
  constexpr size_t kMostPasswd = size_t{16} << 20;
  constexpr size_t kMostHomes = 8;
  std::vector<Home> homes;
  Path passwd = Path::Clean("/etc/passwd");
  Result<std::string> text = files.ReadText(passwd, kMostPasswd);
  if (!text && text.error().code == ELOOP) {  // it is a link
    passwd = Walk(passwd.text(), files).end;
    text = files.ReadText(passwd, kMostPasswd);
  }
  if (!text) {
    const int code = text.error().code;
    if (code == ENOENT || code == ENOTDIR) return homes;
    return text.error();
  }
  for (const std::string& line : PasswdHomesIn(*text, user)) {
    const std::optional<Path> home = Path::Parse(line);
    if (!home || home->is_root() || homes.size() == kMostHomes) continue;
    if (Contains(known, *home)) continue;
    const Walked walked = Walk(home->text(), files);
    // A home that the user cannot access now may become accessible later.
    if (walked.stop == Walked::Stop::kUnreadable) homes.push_back({*home, *home});
    const bool is_there = walked.EndsAt(FileKind::kDirectory) && !walked.end.is_root();
    if (is_there) homes.push_back({*home, walked.end});
  }
  return homes;
}

Status FindHomes(const Registration& registration, const FileView& files, Places& places) {
  const Result<std::optional<Home>> option = GivenHome(registration.home, "--home", files);
  if (!option) return option.error();
  const Result<std::optional<Home>> variable = GivenHome(registration.home_variable, "HOME", files);
  if (!variable) return variable.error();
  std::vector<Home> roots;
  for (const std::optional<Home>& home : {*option, *variable}) {
    if (home && home->real.is_root()) roots.push_back(*home);
    if (home && !home->real.is_root()) AddHome(*home, places);
  }
  const bool is_given = !places.homes.empty();
  const Result<std::vector<Home>> passwd = PasswdHomes(registration.user, places.homes, files);
  if (!passwd) return passwd.error();
  for (const Home& home : *passwd) {
    if (is_given) {
      AddDenyOnlyHome(home, places);
    } else {
      AddHome(home, places);
    }
  }
  // With "/" as a home, "~" would allow the whole disk.
  for (const Home& home : roots) AddDenyOnlyHome(home, places);
  return Unit{};
}

// The client names its directories after the one it was started in. Ignores a start that cannot be
// resolved.
void FindStart(const Registration& registration, const FileView& files, Places& places) {
  const std::optional<Path> start = Path::Parse(registration.project_dir);
  if (!start) return;
  const Walked walked = Walk(start->text(), files);
  if (walked.stop == Walked::Stop::kEnd && walked.end != places.root_real) {
    places.start = walked.end;
  }
}

bool HoldsAny(const Path& folder, const std::vector<Path>& paths) {
  return std::ranges::any_of(paths, [&](const Path& path) { return path.IsInside(folder); });
}

// True if the project comes from --root. A --root that contains a home counts only for sessions
// that start there: it is meant to permit the home as a project, not to widen every other project
// to it.
bool IsRootByOption(const Registration& registration, const FileView& files, const Places& places) {
  if (registration.root.empty() || registration.project_dir.empty()) {
    return !registration.root.empty();
  }
  const std::optional<Path> root = Path::Parse(registration.root);
  const std::optional<Path> start = Path::Parse(registration.project_dir);
  if (!root || !start || *root == *start) return true;
  const Result<Path> root_real = Resolved(*root, files);
  // FindRoot() reports that "/" cannot be a project.
  if (!root_real || root_real->is_root() || !HoldsAny(*root_real, places.homes)) return true;
  const Result<Path> start_real = Resolved(*start, files);
  return start_real && *start_real == *root_real;
}

Status FindRoot(const Registration& registration, const FileView& files, Places& places) {
  const bool by_option = IsRootByOption(registration, files, places);
  const std::string& text = by_option ? registration.root : registration.project_dir;
  const char* variable = registration.agent->variables.project;
  const auto wrong = [&](std::string what, std::string hint) {
    Error error = UsageError(by_option ? "--root" : variable, std::move(what), std::move(hint));
    error.about = by_option ? Error::About::kRoot : Error::About::kProjectDir;
    return error;
  };
  if (text.empty()) {
    return UsageError("", "the project is not known: " + std::string(variable) + " is not set",
                      "register the hook with --root DIR, or run it under the client");
  }
  const std::optional<Path> root = Path::Parse(text);
  if (!root) return wrong(Quote(text) + " is not an absolute path without \"..\"", "");
  const Result<Path> real = Resolved(*root, files);
  if (!real) return wrong(real.error().what, "");
  const Result<FileFacts> facts = files.Look(*real);
  if (!facts) return facts.error();
  if (facts->kind != FileKind::kDirectory) {
    return wrong(Quote(text) + " is not a directory", "start the client in the project");
  }
  if (real->is_root()) {
    return wrong("the project may not be \"/\"", "start the client in the project");
  }
  if (!by_option && HoldsAny(*real, places.homes)) {
    const bool is_home = Contains(places.homes, *real);
    return wrong(
        Quote(text) + (is_home ? " is the home directory" : " contains the home directory"),
        "start the client in a project's directory, or accept this one as a project and "
        "start the client again: ringfence init --root " +
            ShellWord(text));
  }
  places.root = *root;
  places.root_real = *real;
  if (by_option) FindStart(registration, files, places);
  return Unit{};
}

// ringfence's programs are in the same directory.
void AddPrograms(const Registration& registration, Places& places) {
  places.program_real = Path::Parse(registration.program_real);
  for (const std::optional<Path>& own : {Path::Parse(registration.program), places.program_real}) {
    if (!own) continue;
    AddOnce(places.programs, *own);
    for (const char* name :
         {"ringfence-hook", "ringfence", "ringfence-cli", "ringfence-proxy", "ringfence-stage"}) {
      AddOnce(places.programs, own->Parent().Child(name));
    }
  }
}

}  // namespace

Result<std::optional<Path>> PasswdHome(uint32_t user, const FileView& files) {
  const Result<std::vector<Home>> homes = PasswdHomes(user, {}, files);
  if (!homes) return homes.error();
  if (homes->empty()) return std::optional<Path>();
  return std::optional(homes->front().path);
}

Result<Places> FindPlaces(const Registration& registration, const FileView& files) {
  if (registration.agent == nullptr) return UsageError("", "no agent is set");
  Places places;
  places.agent = registration.agent;
  places.user = registration.user;
  places.macos_names = kMacosNames;
  if (Status s = FindHomes(registration, files, places); !s) return s.error();
  if (Status s = FindRoot(registration, files, places); !s) return s.error();
  AddPrograms(registration, places);
  if (const std::optional<Path> folder = Path::Parse(registration.config_dir)) {
    places.settings_folders.push_back(*folder);
  }
  return places;
}

bool MayAllowBelow(const Places& places, const Path& home) {
  return !Contains(places.deny_only_homes, home);
}

std::optional<Path> RepositoryAround(const Places& places, const FileView& files) {
  for (Path folder = places.root_real; !folder.is_root(); folder = folder.Parent()) {
    if (HoldsAny(folder, places.homes_real)) return {};
    const FileKind git = files.KindOr(FileKind::kMissing, folder.Child(".git"));
    if (git != FileKind::kMissing) return folder;
  }
  return {};
}

void WidenToRepository(Places& places, const FileView& files) {
  const std::optional<Path> repository = RepositoryAround(places, files);
  if (!repository || *repository == places.root_real) return;
  if (!places.start) places.start = places.root_real;
  places.root = *repository;
  places.root_real = *repository;
}

std::optional<Path> OwnPath(std::string_view text, const Places& places) {
  if (!text.starts_with('~')) return Path::Parse(text);
  if (places.homes.empty()) return {};
  return Path::Parse(places.homes.front().text() + std::string(text.substr(1)));
}

}  // namespace ringfence
