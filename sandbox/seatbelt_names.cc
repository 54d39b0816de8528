#include "sandbox/seatbelt_names.h"

#include <algorithm>

#include "base/case_fold.h"
#include "policy/rules/entry_match.h"
#include "policy/rules/pattern.h"
#include "policy/rules/word_list.h"
#include "sandbox/guarded_names.h"
#include "sandbox/sbpl_text.h"

namespace ringfence {
namespace {

// A filter on a path, or on the path and everything below it.
std::string PathFilter(std::string_view kind, const Path& path) {
  return "(" + std::string(kind) + " " + SbplString(path.text()) + ")";
}

std::string RegexFilter(const std::string& regex) { return "(regex " + SbplString(regex) + ")"; }

Path Folded(const Path& path) { return Path::Clean(FoldName(path.text())); }

// Returns the part of the name before any pattern.
Path FixedPart(const GuardedName& name) {
  Path path = Path::Clean(name.base);
  for (std::string_view rest = name.tail;;) {
    const std::string_view component = TakeComponent(rest);
    if (component.empty() || (name.has_pattern && HasPattern(component))) return path;
    path = path.Child(component);
  }
}

// Narrows `filter` to exclude `path` and everything below it.
std::string Excluding(const std::string& filter, const Path& path) {
  return "(require-all " + filter + " (require-not " +
         RegexFilter(SubpathRegex(path, Spelling::kForgiven)) + "))";
}

// Returns a literal filter for each of `paths`, which have the kernel's spelling.
std::vector<SeatbeltFilter> Sorted(std::vector<Path> paths) {
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::vector<SeatbeltFilter> filters;
  filters.reserve(paths.size());
  for (const Path& path : paths) filters.push_back({PathFilter("literal", path), ""});
  return filters;
}

}  // namespace

SeatbeltFilter LiteralFilter(const Path& path) {
  return {PathFilter("literal", MacosPath(path)), ""};
}

SeatbeltFilter SubpathFilter(const Path& path) {
  return {PathFilter("subpath", MacosPath(path)), ""};
}

std::vector<SeatbeltFilter> PlaceFilters(const std::vector<PlannedPlace>& places) {
  std::vector<SeatbeltFilter> filters;
  for (const PlannedPlace& place : places) {
    SeatbeltFilter filter = place.kind == PlannedPlace::Kind::kDirectory
                                ? SubpathFilter(place.path)
                                : LiteralFilter(place.path);
    filter.why = place.why;
    filters.push_back(std::move(filter));
  }
  return filters;
}

SeatbeltFilter NotAllowedFilter(const std::vector<GuardedName>& list) {
  std::string any;
  for (const GuardedName& name : list) {
    const GuardedName real = MacosName(name);
    any += " " + (real.has_pattern ? RegexFilter(NameRegex(real, Spelling::kExact))
                                   : PathFilter("subpath", FixedPart(real)));
  }
  if (any.empty()) return {"(subpath \"/\")", "the list allows nothing"};
  return {"(require-not (require-any" + any + "))", ""};
}

SeatbeltFilter HiddenFilter(const HiddenPlace& place) {
  const Path path = MacosPath(place.path);
  // Matches the exact name and other spellings of it.
  return {PathFilter("subpath", path) + " " + RegexFilter(SubpathRegex(path, Spelling::kForgiven)),
          place.why};
}

SeatbeltFilter WithoutKept(const SeatbeltFilter& filter, const std::vector<Path>& kept) {
  std::string text = "(require-all (require-any " + filter.text + ")";
  for (const Path& path : kept) text += " (require-not " + SubpathFilter(path).text + ")";
  return {text + ")", filter.why};
}

std::vector<SeatbeltFilter> KeptParents(const HiddenPlace& place) {
  std::vector<Path> parents{MacosPath(place.path)};
  for (const Path& kept : place.kept) {
    for (Path path = kept.Parent(); path != place.path && path.IsInside(place.path);
         path = path.Parent()) {
      parents.push_back(MacosPath(path));
    }
  }
  return Sorted(std::move(parents));
}

std::vector<SeatbeltFilter> HiddenParents(const SandboxPlan& plan) {
  std::vector<Path> parents;
  for (const PlannedPlace& writable : plan.writable) {
    for (const HiddenPlace& place : plan.hidden) {
      if (!place.path.IsInside(writable.path)) continue;
      for (Path path = place.path.Parent(); path != writable.path && path.IsInside(writable.path);
           path = path.Parent()) {
        parents.push_back(MacosPath(path));
      }
    }
  }
  return Sorted(std::move(parents));
}

std::vector<SeatbeltFilter> ListedParents(const SandboxPlan& plan) {
  std::vector<Path> parents;
  const auto is_hidden = [&plan](const Path& path) {
    return std::ranges::any_of(plan.hidden, [&path](const HiddenPlace& place) {
      return path.IsInside(MacosPath(place.path));
    });
  };
  const auto add = [&](const Path& listed) {
    for (Path path = MacosPath(listed); !path.is_root(); path = path.Parent()) {
      if (!is_hidden(path.Parent())) parents.push_back(path.Parent());
    }
  };
  for (const PlannedPlace& place : plan.readable) add(place.path);
  for (const PlannedPlace& place : plan.writable) add(place.path);
  add(plan.cwd);
  // System links that a path can begin with.
  for (const char* link : {"/tmp", "/var", "/etc", "/private/tmp", "/private/var"}) {
    parents.push_back(Path::Clean(link));
  }
  return Sorted(std::move(parents));
}

SeatbeltNames::SeatbeltNames(const SandboxPlan& plan)
    : stores_(plan.names.package_stores()), root_(MacosPath(plan.names.root())) {
  writable_.reserve(plan.writable.size());
  for (const PlannedPlace& place : plan.writable)
    writable_.push_back(Folded(MacosPath(place.path)));
  for (const GuardedName& name : plan.names.rules()) Add(MacosName(name));
  if (plan.names.bare_why().empty()) return;
  // A directory that git uses as a repository; the hook also refuses this name.
  AddBeginning({RegexFilter(PathRegex(Path::Clean("/.git"), Spelling::kForgiven).substr(1)), ""});
}

void SeatbeltNames::Add(const GuardedName& name) {
  if (name.comes_whole) return;  // git could not save it, and the profile cannot evaluate contents
  if (!IsReachable(name)) return;
  std::string filter = RegexFilter(NameRegex(name, Spelling::kForgiven));
  const std::string_view left_out = name.has_pattern ? std::string_view() : name.except;
  for (const std::string_view word : WordList(left_out)) {
    if (!HasPattern(word)) filter = Excluding(filter, FixedPart(name).Child(word));
  }
  if (name.holds_root) filter = Excluding(filter, root_);
  for (const std::string& store : stores_) {
    if (!name.not_in_stores) break;
    GuardedName inside = name;
    // Package names in the path of the project itself do not count.
    if (OutsideFolders(root_.text(), stores_, "/") != root_.text()) {
      inside.base = root_.text();
      inside.is_anywhere = false;
    }
    inside.tail = std::string(kAnywhereMark) + EscapePattern(store) + "/" + name.tail;
    const std::string except = RegexFilter(NameRegex(inside, Spelling::kExact));
    filter.insert(0, "(require-all ").append(" (require-not ").append(except).append("))");
  }
  refused_.push_back({std::move(filter), name.why});
  AddBeginnings(name);
  if (!name.holds_root) return;
  GuardedName inside = name;  // names below the root
  inside.base = root_.text();
  inside.is_anywhere = false;
  inside.holds_root = false;
  Add(inside);
}

// An "anywhere" name can be created in any writable place.
bool SeatbeltNames::IsReachable(const GuardedName& name) const {
  if (name.is_anywhere) return true;
  const Path fixed = Folded(FixedPart(name));
  return std::ranges::any_of(
      writable_, [&](const Path& place) { return fixed.IsInside(place) || place.IsInside(fixed); });
}

bool SeatbeltNames::IsBelowWritable(const Path& path) const {
  const Path folded = Folded(path);
  return std::ranges::any_of(
      writable_, [&](const Path& place) { return folded != place && folded.IsInside(place); });
}

void SeatbeltNames::AddBeginnings(const GuardedName& name) {
  if (name.is_anywhere) {
    std::string_view rest = std::string_view(name.tail).substr(kAnywhereMark.size());
    Path beginning;
    for (;;) {
      const std::string_view component = TakeComponent(rest);
      if (rest.empty() || HasPattern(component)) return;
      beginning = beginning.Child(component);
      AddBeginning({RegexFilter(PathRegex(beginning, Spelling::kForgiven).substr(1)), ""});
    }
  }
  Path beginning = FixedPart(name);
  if (!name.has_pattern) beginning = beginning.Parent();
  for (; IsBelowWritable(beginning); beginning = beginning.Parent()) {
    AddBeginning({RegexFilter(PathRegex(beginning, Spelling::kForgiven)), ""});
  }
}

void SeatbeltNames::AddBeginning(SeatbeltFilter filter) {
  if (std::ranges::find(beginnings_, filter) == beginnings_.end()) {
    beginnings_.push_back(std::move(filter));
  }
}

}  // namespace ringfence
