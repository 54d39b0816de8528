// GuardedNames: names that a confined program may not create, change, move or remove, whether or
// not they exist. Mounts and Landlock cover what exists; these rules also cover what must not be
// created. Paths are absolute and resolved: no links, no "..". Letter case is ignored, as in every
// deny rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "policy/files/mount_table.h"

namespace ringfence {

inline constexpr std::string_view kAnywhereMark = "**/";  // a name in any directory

struct GuardedName {
  std::string base;  // directory that `tail` is relative to; "/" if `tail` begins with "**/"
  std::string tail;  // "" for the base itself
  bool has_pattern = false;  // `tail` has a pattern
  bool is_anywhere = false;  // the tail begins with "**/"
  std::string except;        // exceptions, one word per line (SetEntry::except)
  // git's own files: they may be written in a repository that the same run created.
  bool unless_new = false;
  // A git file that a rename may replace after its content has been evaluated.
  bool comes_whole = false;
  // Compares a path only up to its first package directory, regardless of the contents. In such a
  // rule, unless_new refers to the work tree of the new repository.
  bool not_in_stores = false;
  // The project is in a directory that the rule names: for a path in the project, compares only the
  // part below its root.
  bool holds_root = false;
  std::string why;  // `denied by "docs/adr" (policy.json:6 /write/deny)`

  bool operator==(const GuardedName&) const = default;
  std::string text() const;  // as written in a policy
};

class GuardedNames {
 public:
  GuardedNames() = default;

  // `name_bits`: NameBitsNeededBy() of the tail; 0 to compute it here.
  void Refuse(GuardedName rule, uint64_t name_bits = 0);
  // Removes rules for exactly this path.
  void Forget(const Path& path);
  // Refuses nothing below `folder`, which is private to the sandbox, except in host places
  // (KeepHost).
  void Exempt(Path folder) { exempt_.push_back(std::move(folder)); }
  // The same for a copy of a host directory; only host places inside it are excepted.
  void ExemptCopy(Path folder) { copies_.push_back(std::move(folder)); }
  void KeepHost(Path place) { kept_.push_back(std::move(place)); }
  // `folder` belongs to the sandbox but is on the host. Below it, only git's own names are guarded,
  // because a ".git" file or a link can lead git there when it runs outside; packages unpack
  // everything else. Nothing may be moved out of it.
  void AddOwn(Path folder) { own_.push_back(std::move(folder)); }
  // For a path that the next start finds by its name: a hidden place, or a link that a rule's path
  // leads through. Neither it nor a directory above it may be moved, removed or closed.
  void HoldInPlace(const Path& path, std::string why);
  // For an allow list that mounts cannot express, for example because of patterns. A path must be
  // covered by an entry of every list.
  void AllowOnly(std::vector<GuardedName> list) { allow_only_.push_back(std::move(list)); }
  // Names of package directories. A directory at or above `root`, the project, is not one.
  void SetPackageStores(std::vector<std::string> stores, Path root) {
    stores_ = std::move(stores);
    root_ = std::move(root);
  }
  // Also evaluates the other names that these mounts give a path.
  void SetMounts(MountTable mounts) { mounts_ = std::move(mounts); }
  // Refuses files that would turn a directory into a bare repository.
  void GuardBareRepositories(std::string why) { bare_why_ = std::move(why); }

  // True if no command may create a repository at the path or change where git finds one.
  bool GuardsRepositories(std::string_view path) const {
    return !bare_why_.empty() && !IsExempt(path);
  }

  // Returns the rules that forbid creating, writing, moving or removing the file or directory: one
  // unconditional rule, or all conditional ones (unless_new, comes_whole), each of whose conditions
  // must be met.
  std::vector<const GuardedName*> AllThatRefuse(std::string_view path) const;

  // The same for an empty directory, which is also permitted if it leads to an allowed path.
  std::vector<const GuardedName*> AllThatRefuseFolder(std::string_view path) const;

  // Returns one of those rules, or nullptr.
  const GuardedName* Refuses(std::string_view path) const;

  // The same for a directory or a link, which gives names to everything below it: includes rules
  // that continue below the path (".git" for ".git/hooks").
  struct TreeHit {
    const GuardedName* rule = nullptr;
    std::string rest;  // what must exist below for the rule to be broken; "" if the name decides
  };
  std::vector<TreeHit> RefusesTree(std::string_view path) const;

  // Number of directory levels between the parent of the first component that `rule` matches and
  // the parent of `path`: 1 for "**/.husky" and ".husky/pre-commit".
  size_t LevelsBelowMatch(const GuardedName& rule, std::string_view path) const;

  // The entry held in place at the path, or also below it; nullptr if there is none.
  const GuardedName* Holds(std::string_view path) const;
  const GuardedName* HoldsBelow(std::string_view path) const;

  bool IsExempt(std::string_view path) const;
  bool IsOwn(std::string_view path) const;

  const std::vector<GuardedName>& rules() const { return rules_; }
  const std::vector<std::vector<GuardedName>>& allow_only() const { return allow_only_; }
  const std::vector<GuardedName>& held() const { return held_; }
  const std::vector<std::string>& package_stores() const { return stores_; }
  const Path& root() const { return root_; }
  const std::string& bare_why() const { return bare_why_; }
  const MountTable& mounts() const { return mounts_; }

  bool operator==(const GuardedNames& other) const {
    return rules_ == other.rules_ && allow_only_ == other.allow_only_ && exempt_ == other.exempt_ &&
           copies_ == other.copies_ && held_ == other.held_ && kept_ == other.kept_ &&
           own_ == other.own_ && stores_ == other.stores_ && root_ == other.root_ &&
           bare_why_ == other.bare_why_ && mounts_ == other.mounts_;
  }

 private:
  template <typename Allows>
  std::vector<const GuardedName*> AllUnless(std::string_view path, Allows allows) const;
  template <typename Test>
  const GuardedName* FirstHeld(std::string_view path, Test test) const;
  static constexpr size_t kUsualRules = 256;
  static constexpr uint32_t kNoRule = ~uint32_t{0};
  void ReserveUsual();
  uint32_t& SlotOf(const GuardedName& rule);
  void Rehash();
  bool IsIn(const std::vector<Path>& folders, std::string_view path) const;
  // `base` is the rule's base, folded.
  static std::optional<std::string> GoesOnBelow(const GuardedName& rule, std::string_view base,
                                                std::string_view folded);
  static bool Matches(const GuardedName& rule, std::string_view base, std::string_view folded);
  // A path in the forms that rules are compared with.
  class Subject;
  using Rules = std::vector<const GuardedName*>;
  Rules AllElsewhere(std::string_view path) const;
  bool AppliesAt(const GuardedName& rule, const MountTable::Name& name) const;
  std::vector<std::string> NamesOf(std::string_view path) const;
  void AddTreeHits(std::string_view path, bool is_own, std::vector<TreeHit>& hits) const;

  std::vector<GuardedName> rules_;
  // The folded base of each rule, computed once, since every call that creates a file is checked
  // against every rule.
  std::vector<std::string> bases_;
  std::vector<uint64_t> name_bits_;  // bits that a path needs to match each (base/name_bits.h)
  // Hash table of indexes into `rules_`, at most half full. There can be thousands of rules.
  std::vector<uint32_t> slots_;
  std::vector<std::vector<GuardedName>> allow_only_;
  std::vector<GuardedName> held_;  // only `base` and `why` are set
  std::vector<Path> exempt_;
  std::vector<Path> copies_;
  std::vector<Path> kept_;
  std::vector<Path> own_;
  std::vector<std::string> stores_;
  Path root_;
  std::string bare_why_;
  MountTable mounts_;
};

// The rule reported for a path that an allow list does not cover.
const GuardedName& NotAllowedRule();

}  // namespace ringfence
