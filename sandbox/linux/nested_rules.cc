#include "sandbox/linux/nested_rules.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/contains.h"
#include "base/directory.h"
#include "base/inside.h"
#include "base/read_number.h"
#include "base/syscall.h"
#include "sandbox/names_text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxRules = 1 << 20;  // bytes
// Bytes for the rules of all known sandboxes: enough for about a hundred different sets. A command
// can hand over any number of sets, so this bounds the memory that it can make the supervisor hold.
constexpr size_t kMaxMemory = 16 << 20;
// A process can only lower a limit, so each new mark is lower than those before.
constexpr rlim_t kFirstMark = rlim_t{1} << 40;

Result<rlim_t> MarkOf(pid_t process) {
  rlimit limit{};
  if (::prlimit(process, RLIMIT_LOCKS, nullptr, &limit) != 0) return Errno(errno);
  return limit.rlim_max;
}

const Supervision::Nested* FindNested(const Supervision& supervision, rlim_t mark) {
  for (const auto& nested : supervision.nested) {
    if (nested->mark == mark) return nested.get();
  }
  return nullptr;
}

bool ReadRules(const UniqueFd& file, std::string& bytes) {
  bytes.resize(kMaxRules);
  const ssize_t size = ::pread(file.get(), bytes.data(), bytes.size(), 0);
  bytes.resize(size < 0 ? 0 : static_cast<size_t>(size));
  bytes.shrink_to_fit();
  return size > 0 && bytes.size() < kMaxRules;
}

// Returns an upper bound for the memory of `bytes` and of the rules made from them: a rule has five
// fields, and the list of rules may reserve twice the space.
size_t MemoryFor(const std::string& bytes) {
  constexpr size_t kFieldsOfRule = 5;
  constexpr size_t kRule = 2 * (sizeof(GuardedName) + sizeof(std::string) + sizeof(uint64_t));
  const auto fields = static_cast<size_t>(std::ranges::count(bytes, '\0'));
  return 3 * bytes.size() + (fields / kFieldsOfRule + 1) * kRule;
}

bool HasRoomFor(const Supervision& supervision, const std::string& bytes) {
  size_t taken = MemoryFor(bytes);
  for (const auto& nested : supervision.nested) taken += MemoryFor(nested->bytes);
  return taken <= kMaxMemory;
}

bool IsGivenMark(const Supervision& supervision, rlim_t mark) {
  return mark <= kFirstMark && kFirstMark - mark < supervision.nested_before;
}

// Forgets the rules of sandboxes that have ended, whose mark no process has. A child that is
// created during the scan may have a forgotten mark; FindRules() then refuses its calls.
void DropEnded(Supervision& supervision) {
  std::vector<const Supervision::Nested*> used;
  const auto keep = [&](const dirent& entry) {
    pid_t process = 0;
    if (!ReadNumber(entry.d_name, process)) return false;
    const Result<rlim_t> mark = MarkOf(process);
    const Supervision::Nested* nested = mark ? FindNested(supervision, *mark) : nullptr;
    for (; nested != nullptr; nested = nested->around) used.push_back(nested);
    return false;
  };
  if (!AnyEntry(supervision.proc, keep)) return;
  std::erase_if(supervision.nested, [&](const std::unique_ptr<Supervision::Nested>& nested) {
    return !Contains(used, nested.get());
  });
}

// Returns the mark of these rules, and stores them if they are new.
Result<rlim_t> MarkFor(Supervision& supervision, const Supervision::Nested* around,
                       std::string bytes) {
  for (const auto& nested : supervision.nested) {
    if (nested->around == around && nested->bytes == bytes) return nested->mark;
  }
  if (!HasRoomFor(supervision, bytes)) DropEnded(supervision);
  if (!HasRoomFor(supervision, bytes)) return Errno(ENOMEM);
  std::optional<GuardedNames> names = UnpackNames(bytes);
  if (!names) return Errno(EINVAL);
  names->SetMounts(supervision.names.mounts());
  const rlim_t mark = kFirstMark - supervision.nested_before++;
  supervision.nested.push_back(std::make_unique<Supervision::Nested>(
      Supervision::Nested{mark, around, std::move(bytes), std::move(*names)}));
  return mark;
}

}  // namespace

Status HandOverRules(const GuardedNames& names) {
  const UniqueFd file(::memfd_create("rules", MFD_CLOEXEC));
  if (!file.valid()) return SystemError("memfd_create");
  if (Status s = WriteAll(file.get(), PackNames(names)); !s) return s;
  if (::linkat(file.get(), "", AT_FDCWD, kRulesName, AT_EMPTY_PATH) != 0) {
    // If the outer sandbox has no supervisor, only Landlock decides, in the inner one as well.
    if (errno == ENOENT) return Unit{};
    return SystemError("linkat(" + std::string(kRulesName) + ")");
  }
  return Unit{};
}

int TakeRules(const SupervisedCaller& caller, const UniqueFd& file) {
  Supervision& supervision = caller.supervision();
  std::string bytes;
  if (!ReadRules(file, bytes)) return EINVAL;
  const Result<rlim_t> before = MarkOf(caller.thread());
  if (!before) return before.error().code;
  const Supervision::Nested* const around = FindNested(supervision, *before);
  const Result<rlim_t> mark = MarkFor(supervision, around, std::move(bytes));
  if (!mark) return mark.error().code;
  const rlimit limit{.rlim_cur = *mark, .rlim_max = *mark};
  if (!caller.IsWaiting()) return ESRCH;
  return ::prlimit(caller.thread(), RLIMIT_LOCKS, &limit, nullptr) == 0 ? 0 : errno;
}

int FindRules(const SupervisedCaller& caller) {
  Supervision& supervision = caller.supervision();
  supervision.rules.assign(1, &supervision.names);
  if (supervision.nested.empty()) return 0;
  const Result<rlim_t> mark = MarkOf(caller.thread());
  if (!mark) return mark.error().code;
  const Supervision::Nested* nested = FindNested(supervision, *mark);
  if (nested == nullptr && IsGivenMark(supervision, *mark)) return EACCES;
  for (; nested != nullptr; nested = nested->around) supervision.rules.push_back(&nested->names);
  return 0;
}

bool IsInSandboxOf(const SupervisedCaller& caller, pid_t process) {
  const Supervision& supervision = caller.supervision();
  if (supervision.nested.empty()) return true;
  const Result<rlim_t> own = MarkOf(caller.thread());
  if (!own) return false;
  const Supervision::Nested* const innermost = FindNested(supervision, *own);
  if (innermost == nullptr) return true;
  const Result<rlim_t> other = MarkOf(process);
  const Supervision::Nested* nested = other ? FindNested(supervision, *other) : nullptr;
  while (nested != nullptr && nested != innermost) nested = nested->around;
  return nested != nullptr;
}

}  // namespace ringfence
