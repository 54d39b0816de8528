#include "staging/removed_names.h"

#include <fcntl.h>

#include <utility>
#include <vector>

#include "files/attributes.h"
#include "files/beneath.h"
#include "files/remove_tree.h"

namespace ringfence {

Status AddRemoved(const UniqueFd& folder, const std::string& path, ChangeList& changes) {
  const std::string name(NameOf(path));
  Result<Entry> before = LookAt(folder.get(), name, path);
  if (!before) return before.error();
  AddAttributes(folder.get(), name, *before);
  if (before->is_directory()) {
    if (Status s = AddRemovedInside(folder, path, changes); !s) return s;
  }
  if (before->exists()) {
    const bool is_too_deep = before->is_directory() && IsTooDeep(path);
    changes.push_back(
        {.path = path, .before = std::move(*before), .is_edit = true, .is_too_deep = is_too_deep});
  }
  return Unit{};
}

Status AddRemovedInside(const UniqueFd& folder, const std::string& path, ChangeList& changes) {
  if (IsTooDeep(path)) return Unit{};
  const Result<UniqueFd> inner =
      OpenBeneath(folder, std::string(NameOf(path)), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  // Programs can change both sides meanwhile. What is applied is compared again.
  if (!inner && IsMissing(inner.error())) return Unit{};
  if (!inner) return inner.error();
  const Result<std::vector<std::string>> names = NamesIn(*inner);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (Status s = AddRemoved(*inner, PathIn(path, name), changes); !s) return s;
  }
  return Unit{};
}

bool HasSameFacts(const Entry& one, const Entry& other) {
  return one.mode == other.mode && one.attributes == other.attributes;
}

Result<bool> IsSameContent(const UniqueFd& before, const UniqueFd& after, const Change& change) {
  if (change.after.kind != change.before.kind) return false;
  if (change.after.is_link()) return change.after.target == change.before.target;
  if (!change.after.is_file() || change.after.size != change.before.size) return false;
  return HaveSameBytes(after.get(), before.get(), std::string(NameOf(change.path)), change.path);
}

}  // namespace ringfence
