#include "staging/removed_names.h"

#include <fcntl.h>

#include <utility>
#include <vector>

#include "files/beneath.h"
#include "files/remove_tree.h"

namespace ringfence {

Error NestedTooDeeply(const std::string& path) {
  return {Error::Kind::kSystem, path, "is nested too deeply to be looked at", ""};
}

Status AddRemoved(const UniqueFd& folder, const std::string& path, ChangeList& changes, int depth) {
  Result<Entry> before = LookAt(folder.get(), std::string(NameOf(path)), path);
  if (!before) return before.error();
  if (before->is_directory()) {
    if (Status s = AddRemovedInside(folder, path, changes, depth + 1); !s) return s;
  }
  if (before->exists()) {
    changes.push_back({.path = path, .before = std::move(*before), .is_edit = true});
  }
  return Unit{};
}

Status AddRemovedInside(const UniqueFd& folder, const std::string& path, ChangeList& changes,
                        int depth) {
  if (depth > kMaxDepth) return NestedTooDeeply(path);
  const Result<UniqueFd> inner =
      OpenBeneath(folder, std::string(NameOf(path)), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  // Programs can change both sides meanwhile. What is applied is compared again.
  if (!inner && IsMissing(inner.error())) return Unit{};
  if (!inner) return inner.error();
  const Result<std::vector<std::string>> names = NamesIn(*inner);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (Status s = AddRemoved(*inner, path + "/" + name, changes, depth); !s) return s;
  }
  return Unit{};
}

Result<bool> IsSameContent(const UniqueFd& before, const UniqueFd& after, const Change& change) {
  if (change.after.kind != change.before.kind) return false;
  if (change.after.is_link()) return change.after.target == change.before.target;
  if (!change.after.is_file() || change.after.size != change.before.size) return false;
  return HaveSameBytes(after.get(), before.get(), std::string(NameOf(change.path)), change.path);
}

}  // namespace ringfence
