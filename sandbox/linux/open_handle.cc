#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "sandbox/linux/proc_entry.h"
#include "sandbox/linux/supervised_calls.h"

namespace ringfence {
namespace {

struct Asker {
  const SupervisedCaller& caller;
  const Supervision& supervision;
};

// Opens one name of a chain of links. On entry, `link` says whether to follow the last link; on
// return, whether the name is a link that has yet to be followed.
int OpenStep(const Asker& asker, const Location& at, Handle& handle, bool* link) {
  const bool follow = std::exchange(*link, false);
  handle.path = at.path();
  if (const int code = EvaluateProcEntry(asker.caller, asker.supervision, handle.path)) return code;
  const UniqueFd& folder = FolderToChange(asker.supervision, at);
  handle.fd = UniqueFd(::openat(folder.get(), at.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!handle.fd.valid()) return errno;
  struct stat facts {};
  if (::fstat(handle.fd.get(), &facts) != 0) return errno;
  if (!S_ISLNK(facts.st_mode)) {
    return at.must_be_folder && !S_ISDIR(facts.st_mode) ? ENOTDIR : 0;
  }
  if (!follow && !at.must_be_folder) return 0;
  *link = !at.is_in_proc();
  if (*link) return 0;
  Result<UniqueFd> target = Jump(asker.caller, asker.supervision, at);
  if (!target) return target.error().code;
  handle.fd = std::move(*target);
  return 0;
}

}  // namespace

int OpenHandle(const SupervisedCaller& caller, Supervision& supervision, const NameText& name,
               Handle& handle) {
  std::string text = name.text;
  UniqueFd from;  // directory of the link that was followed last
  for (int links = 0; links <= 40; ++links) {
    Result<Location> at = from.valid() ? LocateBelow(caller, supervision, from, text)
                                       : Locate(caller, supervision, name.fd, text);
    if (!at) return at.error().code;
    bool is_link = name.follow;
    const int code = OpenStep({caller, supervision}, *at, handle, &is_link);
    if (!caller.IsWaiting()) return ESRCH;
    if (code != 0 || !is_link) return code;
    Result<std::string> target = ReadLinkAt(at->folder, at->name);
    if (!target) return target.error().code;
    text = std::move(*target);
    from = std::move(at->folder);
  }
  return ELOOP;
}

}  // namespace ringfence
