// GuardedNames: which names a confined program may not make, change, move or remove, whether or not
// they exist. Mounts and Landlock know what is there; these rules know what must not come to be.
// Paths are absolute and resolved: no links, no "..". Letter case is forgiven, as in every deny.
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
  std::string base;  // the folder that `tail` begins at; "/" for a pattern that begins with "**/"
  std::string tail;  // "" is the base itself
  bool has_pattern = false;  // of tail
  bool is_anywhere = false;  // the tail begins with "**/"
  std::string except;        // what is left out, a word on each line (SetEntry::except)
  // Git's own files: they may be written in a repository that the same run has made.
  bool unless_new = false;
  // A file of git that may be replaced by a rename, once its content was evaluated.
  bool comes_whole = false;
  // A folder of packages is evaluated by its own name, whatever lies in it. Of such a rule
  // unless_new speaks of the work tree of such a repository.
  bool not_in_stores = false;
  // The project lies in a folder that the rule names: of a path in the project only what lies below
  // its root is compared.
  bool holds_root = false;
  std::string why;  // `denied by "docs/adr" (policy.json:6 /write/deny)`

  bool operator==(const GuardedName&) const = default;
  std::string text() const;  // as a policy would spell it
};

class GuardedNames {
 public:
  GuardedNames() = default;

  // `name_bits` are those of the tail (NameBitsNeededBy); 0: they are worked out.
  void Refuse(GuardedName rule, uint64_t name_bits = 0);
  // A rule for exactly this path is none.
  void Forget(const Path& path);
  // Below `folder` nothing is refused, since it is private to the sandbox, but for what of the
  // host is kept there.
  void Exempt(Path folder) { exempt_.push_back(std::move(folder)); }
  // The same for a copy of a folder of the host's.
  void ExemptCopy(Path folder) { copies_.push_back(std::move(folder)); }
  void KeepHost(Path place) { kept_.push_back(std::move(place)); }
  // Below `folder`, which is the sandbox's own but lies on the host, only git's own names are
  // guarded: a file ".git" or a link leads git outside there. Packages unpack everything else.
  // Nothing is moved from there to elsewhere.
  void AddOwn(Path folder) { own_.push_back(std::move(folder)); }
  // The next start looks for it by its name: what may not be read, or a link that leads to what a
  // rule is about. It is not moved, removed or closed, nor is a folder above it.
  void HoldInPlace(const Path& path, std::string why);
  // Some entries of `list` are patterns, so that no mount says what is allowed. A path must be
  // covered by an entry of each list.
  void AllowOnly(std::vector<GuardedName> list) { allow_only_.push_back(std::move(list)); }
  // Names of folders of packages; those at or above `root`, the project, are none.
  void SetPackageStores(std::vector<std::string> stores, Path root) {
    stores_ = std::move(stores);
    root_ = std::move(root);
  }
  // A path is also evaluated by the other names that these mounts give to it.
  void SetMounts(MountTable mounts) { mounts_ = std::move(mounts); }
  // What makes a folder a repository without a work tree is refused.
  void GuardBareRepositories(std::string why) { bare_why_ = std::move(why); }

  // The path is one at which nobody may make a repository or change where one is found.
  bool GuardsRepositories(std::string_view path) const {
    return !bare_why_.empty() && !IsExempt(path);
  }

  // Why the file or folder of that name may not be made, written, moved or removed: one rule that
  // says so whatever it belongs to, or all that permit it on a condition (unless_new, comes_whole),
  // each of which has to be met.
  std::vector<const GuardedName*> AllThatRefuse(std::string_view path) const;

  // The same for an empty folder: it may also lead to what is allowed.
  std::vector<const GuardedName*> AllThatRefuseFolder(std::string_view path) const;

  // One of them, or nullptr.
  const GuardedName* Refuses(std::string_view path) const;

  // The same for a folder or a link, which gives names to all that is below it: also rules that
  // such a name begins (".git" of ".git/hooks").
  struct TreeHit {
    const GuardedName* rule = nullptr;
    std::string rest;  // what must exist below for the rule to be broken; "": the name decides
  };
  std::vector<TreeHit> RefusesTree(std::string_view path) const;

  // How many directories lie between the one that holds the first component which `rule` matches
  // and the one that holds `path`: 1 for "**/.husky" and ".husky/pre-commit".
  size_t LevelsBelowMatch(const GuardedName& rule, std::string_view path) const;

  // What is held in place at the path, or below it as well.
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
  // Made once, since every call that makes a file asks every rule.
  struct Prepared {
    std::string base;  // folded
  };
  template <typename Allows>
  std::vector<const GuardedName*> AllUnless(std::string_view path, Allows allows) const;
  static constexpr size_t kUsualRules = 256;
  static constexpr uint32_t kNoRule = ~uint32_t{0};
  void ReserveUsual();
  uint32_t& SlotOf(const GuardedName& rule);
  void Rehash();
  bool IsIn(const std::vector<Path>& folders, std::string_view path) const;
  static std::optional<std::string> GoesOnBelow(const GuardedName& rule, const Prepared& prepared,
                                                std::string_view folded);
  static bool Matches(const GuardedName& rule, const Prepared& prepared, std::string_view folded);
  // A path as the rules see it.
  class Subject;
  using Rules = std::vector<const GuardedName*>;
  Rules AllElsewhere(std::string_view path) const;
  bool IsMeantAt(const GuardedName& rule, const MountTable::Name& name) const;
  std::vector<std::string> NamesOf(std::string_view path) const;
  void AddTreeHits(std::string_view path, bool is_own, std::vector<TreeHit>& hits) const;

  std::vector<GuardedName> rules_;
  std::vector<Prepared> prepared_;   // for each rule
  std::vector<uint64_t> name_bits_;  // what a path needs to match each (base/name_bits.h)
  // A hash table of indexes into `rules_`, at most half full. Context may have many thousand
  // rules.
  std::vector<uint32_t> slots_;
  std::vector<std::vector<GuardedName>> allow_only_;
  std::vector<GuardedName> held_;  // each its base
  std::vector<Path> exempt_;
  std::vector<Path> copies_;
  std::vector<Path> kept_;
  std::vector<Path> own_;
  std::vector<std::string> stores_;
  Path root_;
  std::string bare_why_;
  MountTable mounts_;
};

// The rule that is given for a path which no entry of an allow list covers.
const GuardedName& NotAllowedRule();

}  // namespace ringfence
