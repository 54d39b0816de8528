#include "sandbox/seccomp_filter.h"

#include <doctest/doctest.h>
#include <linux/audit.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "sandbox/linux/privileges.h"
#include "tests/support/seccomp_emulator.h"
#include "tests/support/system_call_numbers.h"

using namespace ringfence;

namespace {

constexpr uint64_t kGarbage = 0xFEDC'BA98'0000'0000;  // upper half of an int argument's register
constexpr SocketRules kAllRules[] = {SocketRules::kUsual, SocketRules::kNoUnix,
                                     SocketRules::kTcpOnly, SocketRules::kNoneAtAll};
constexpr uint32_t kX32 = 0x4000'0000;

FilterOutcome Guard(const Call& call, SocketRules rules = SocketRules::kUsual) {
  return Evaluate(GuardFilter(rules), call);
}
FilterOutcome Supervised(const Call& call) { return Evaluate(SupervisedFilter({}), call); }

// The numbers of the listed calls that exist on this architecture.
std::vector<int> NumbersOf(std::span<const CallName> calls) {
  std::vector<int> numbers;
  for (const CallName& call : calls) {
    const std::optional<int> known = SystemCallNumber(call.name);
    CAPTURE(call.name);
    CHECK((known.has_value() || call.number >= 0 || IsNotOfThisArchitecture(call.name)));
    if (known && call.number >= 0) CHECK(*known == call.number);
    if (known || call.number >= 0) numbers.push_back(known.value_or(call.number));
  }
  return numbers;
}

bool Has(const std::vector<int>& numbers, int number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

}  // namespace

TEST_CASE("seccomp: the guard refuses each call of its lists, and no other by its number alone") {
  const std::vector<int> refused = NumbersOf(kRefusedCalls);
  CHECK(refused.size() > 50);
  for (const SocketRules rules : kAllRules) {
    std::vector<int> absent = NumbersOf(kAbsentCalls);
    if (rules != SocketRules::kUsual) {
      for (const int number : NumbersOf(kCallsBeyondLandlock)) absent.push_back(number);
    }
    for (int number = 0; number <= kNewestCall; ++number) {
      CAPTURE(number);
      // A socket of a common kind; its arguments are tested below.
      const uint64_t family = number == SYS_socket ? kFamilies : kUnixFamily;
      const uint64_t type = number == SYS_socketpair ? SOCK_STREAM : 0;
      const Call call{.number = number, .args = {family, type}};
      const bool listens = number == SYS_listen && rules == SocketRules::kTcpOnly;
      const FilterOutcome want = listens                ? FailWith(EACCES)
                                 : Has(refused, number) ? FailWith(EPERM)
                                 : Has(absent, number)  ? FailWith(ENOSYS)
                                                        : Allow();
      CHECK(Guard(call, rules) == want);
    }
  }
}

TEST_CASE("seccomp: the supervised filter passes on each call of its list, and allows others") {
  const std::vector<int> supervised = NumbersOf(kSupervisedCalls);
  const std::vector<int> own = NumbersOf(kSupervisorsOwnCalls);
  for (int number = 0; number <= kNewestCall; ++number) {
    CAPTURE(number);
    const FilterOutcome want = Has(supervised, number) ? Notify()
                               : Has(own, number)      ? FailWith(EPERM)
                               : number == SYS_openat2 ? FailWith(ENOSYS)
                                                       : Allow();
    CHECK(Supervised({.number = number}) == want);
  }
}

TEST_CASE("seccomp: owners and times are supervised, by name and by descriptor") {
  for (const int number : {SYS_utimensat, SYS_fchown, SYS_fchownat}) {
    CAPTURE(number);
    for (const uint64_t argument : {uint64_t{0}, uint64_t{3}, ~uint64_t{0}}) {
      CHECK(Supervised({.number = number, .args = {argument, argument}}) == Notify());
    }
  }
}

TEST_CASE("seccomp: signals are supervised if nothing else confines them") {
  const std::span<const sock_filter> filter = SupervisedFilter({.signals = true});
  CHECK(NumbersOf(kSignalCalls).size() == 6);
  for (const int number : NumbersOf(kSignalCalls)) {
    CAPTURE(number);
    for (const uint64_t target : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
      const Call call{.number = number, .args = {target, target, target}};
      CHECK(Evaluate(filter, call) == Notify());
      CHECK(Supervised(call) == Allow());
    }
  }
  CHECK(Evaluate(filter, {.number = SYS_mkdirat}) == Notify());
}

TEST_CASE("seccomp: creating or removing subvolumes is refused") {
  constexpr uint64_t kSizes[] = {0x5000'0000, 0x4008'0000, kGarbage | 0xC0C8'0000};
  for (const SocketRules rules : kAllRules) {
    for (const uint64_t size : kSizes) {
      for (const uint32_t request : kRefusedSubvolumeRequests) {
        CHECK(Guard({.number = SYS_ioctl, .args = {3, size | request}}, rules) == FailWith(EPERM));
      }
      CHECK(Guard({.number = SYS_ioctl, .args = {3, size | 0xBC10}}, rules) == FailWith(EPERM));
    }
    for (const uint64_t request :
         {uint64_t{0x4004'9409}, uint64_t{0x4020'940D}}) {  // FICLONE, FICLONERANGE
      CHECK(Guard({.number = SYS_ioctl, .args = {3, request}}, rules) == Allow());
    }
  }
}

TEST_CASE("seccomp: changing file attributes is refused, even for the owner") {
  const int file_setattr = 469;
  for (const SocketRules rules : kAllRules) {
    for (const uint32_t request : kRefusedFileRequests) {
      const Call call{.number = SYS_ioctl, .args = {3, 0x4008'0000 | request}};
      CHECK(Guard(call, rules) == FailWith(EPERM));
    }
    CHECK(Guard({.number = SYS_ioctl, .args = {3, 0x4004'F504}}, rules) ==
          FailWith(EPERM));                                                           // f2fs
    CHECK(Guard({.number = SYS_ioctl, .args = {3, 0x8008'6601}}, rules) == Allow());  // a query
    CHECK(Guard({.number = file_setattr}, rules) == FailWith(ENOSYS));
  }
}

TEST_CASE("seccomp: changing another process's limits is refused") {
  constexpr uint64_t kLimits = 0x7fff'0000'0000;
  const Call own{.number = SYS_prlimit64, .args = {0, RLIMIT_CPU, kLimits}};
  const Call asked{.number = SYS_prlimit64, .args = {77, RLIMIT_CPU, 0}};
  const Call another{.number = SYS_prlimit64, .args = {77, RLIMIT_CPU, kLimits}};
  const Call garbage{.number = SYS_prlimit64, .args = {kGarbage | 77, RLIMIT_CPU, kLimits}};
  for (const Call& call : {own, asked}) CHECK(Supervised(call) == Allow());
  for (const Call& call : {another, garbage}) CHECK(Supervised(call) == FailWith(EPERM));
}

TEST_CASE("seccomp: the limit that marks a sandbox can be read, but not set") {
  for (const uint64_t resource : {uint64_t{RLIMIT_LOCKS}, RLIMIT_LOCKS | kGarbage}) {
    CHECK(Supervised({.number = SYS_setrlimit, .args = {resource, 1}}) == FailWith(EPERM));
    CHECK(Supervised({.number = SYS_prlimit64, .args = {0, resource, 1, 1}}) == FailWith(EPERM));
    CHECK(Supervised({.number = SYS_prlimit64, .args = {0, resource, 0, 1}}) == Allow());
  }
  CHECK(Supervised({.number = SYS_setrlimit, .args = {RLIMIT_NOFILE, 1}}) == Allow());
  CHECK(Supervised({.number = SYS_prlimit64, .args = {0, RLIMIT_NOFILE, 1}}) == Allow());
}

TEST_CASE("seccomp: the limit for core files can be read, but not changed") {
  constexpr uint64_t kNew = 0x7fff'0000'0000;
  for (const SocketRules rules : kAllRules) {
    for (const uint64_t resource : {uint64_t{RLIMIT_CORE}, RLIMIT_CORE | kGarbage}) {
      CHECK(Guard({.number = SYS_setrlimit, .args = {resource, 1}}, rules) == FailWith(0));
      CHECK(Guard({.number = SYS_prlimit64, .args = {0, resource, kNew, 0}}, rules) == FailWith(0));
      CHECK(Guard({.number = SYS_prlimit64, .args = {0, resource, kNew, 1}}, rules) ==
            FailWith(EPERM));
      CHECK(Guard({.number = SYS_prlimit64, .args = {0, resource, 0, kNew}}, rules) == Allow());
    }
    CHECK(Guard({.number = SYS_setrlimit, .args = {RLIMIT_CPU, 1}}, rules) == Allow());
    CHECK(Guard({.number = SYS_prlimit64, .args = {0, RLIMIT_CPU, kNew}}, rules) == Allow());
  }
}

TEST_CASE("seccomp: locking System V shared memory is refused") {
  constexpr uint64_t kLock = 11, kStat = 2;
  CHECK(Guard({.number = SYS_shmctl, .args = {5, kLock}}, SocketRules::kUsual) == FailWith(EPERM));
  CHECK(Guard({.number = SYS_shmctl, .args = {5, kStat}}, SocketRules::kUsual) == Allow());
}

TEST_CASE("seccomp: arguments do not matter for listed calls") {
  for (const uint64_t word : {uint64_t{0}, ~uint64_t{0}, kGarbage, uint64_t{0x5412}}) {
    const std::array<uint64_t, 6> args{word, word, word, word, word, word};
    for (const int number : NumbersOf(kRefusedCalls)) {
      CAPTURE(number);
      CHECK(Guard({.number = number, .args = args}) == FailWith(EPERM));
    }
    for (const int number : NumbersOf(kSupervisedCalls)) {
      CAPTURE(number);
      CHECK(Supervised({.number = number, .args = args}) == Notify());
    }
  }
}

TEST_CASE("seccomp: no call is in two lists") {
  std::map<std::string_view, int> seen;
  for (const std::span<const CallName> list : std::initializer_list<std::span<const CallName>>{
           kRefusedCalls, kAbsentCalls, kCallsBeyondLandlock, kSupervisedCalls, kSignalCalls,
           kSupervisorsOwnCalls}) {
    for (const CallName& call : list) ++seen[call.name];
  }
  for (const auto& entry : seen) {
    CAPTURE(entry.first);
    CHECK(entry.second == 1);
  }
}

TEST_CASE("seccomp: calls newer than the filter do not exist") {
  for (const int64_t number :
       {int64_t{kNewestCall + 1}, int64_t{500}, int64_t{1023}, int64_t{0x3FFF'FFFF},
        int64_t{0x7FFF'FFFF}, int64_t{-1}, int64_t{-2}, int64_t{-0x8000'0000LL}}) {
    CAPTURE(number);
    for (const SocketRules rules : kAllRules) {
      CHECK(Guard({.number = number}, rules) == FailWith(ENOSYS));
    }
  }
}

#if defined(__x86_64__)
TEST_CASE("seccomp: x32 calls do not exist, or go to the supervisor") {
  for (uint32_t number = 0; number <= 600; ++number) {
    CAPTURE(number);
    const Call call{.number = static_cast<int64_t>(kX32 | number)};
    CHECK(Guard(call) == FailWith(ENOSYS));  // checked before anything else
    CHECK(Supervised(call) == Notify());
  }
}

TEST_CASE("seccomp: 32-bit calls go to the supervisor, or do not exist") {
  for (int number = 0; number <= 600; ++number) {
    CAPTURE(number);
    const Call call{.number = number, .arch = AUDIT_ARCH_I386};
    CHECK(Guard(call) == (number > kNewestCall ? FailWith(ENOSYS) : Notify()));
    CHECK(Supervised(call) == Notify());
  }
}
#endif

TEST_CASE("seccomp: calls of another architecture go to the supervisor") {
  for (const uint32_t arch : {uint32_t{AUDIT_ARCH_ARM}, uint32_t{AUDIT_ARCH_RISCV64},
                              uint32_t{AUDIT_ARCH_S390X}, uint32_t{1}, ~uint32_t{0}}) {
    CAPTURE(arch);
    for (const int64_t number : {SYS_read, SYS_mount, SYS_openat, SYS_clone, SYS_socket}) {
      CHECK(Guard({.number = number, .arch = arch}) == Notify());
      CHECK(Supervised({.number = number, .arch = arch}) == Notify());
    }
  }
}

TEST_CASE("seccomp: openat2 does not exist for the command, but for the supervisor") {
  CHECK(Supervised({.number = SYS_openat2}) == FailWith(ENOSYS));
  for (const SocketRules rules : kAllRules) {
    CHECK(Guard({.number = SYS_openat2}, rules) == Allow());
    CHECK(Guard({.number = SYS_pidfd_getfd}, rules) == Allow());
  }
}

TEST_CASE("seccomp: ordinary calls pass both filters") {
  for (const int64_t number : {SYS_read,
                               SYS_write,
                               SYS_execve,
                               SYS_execveat,
                               SYS_futex,
                               SYS_mmap,
                               SYS_mprotect,
                               SYS_ptrace,
                               SYS_exit_group,
                               SYS_wait4,
                               SYS_kill,
                               SYS_prctl,
                               SYS_seccomp,
                               SYS_getdents64,
                               SYS_newfstatat,
                               SYS_statx,
                               SYS_close_range,
                               SYS_memfd_create,
                               SYS_landlock_create_ruleset,
                               SYS_sendmsg,
                               SYS_connect,
                               SYS_listen,
                               SYS_accept4,
                               SYS_process_vm_readv,
                               SYS_setsid}) {
    CAPTURE(number);
    const Call call{.number = number};
    CHECK(Supervised(call) == Allow());
    for (const SocketRules rules : kAllRules) {
      const bool listens = number == SYS_listen && rules == SocketRules::kTcpOnly;
      CHECK((listens || Guard(call, rules) == Allow()));
    }
  }
}

TEST_CASE("seccomp: the kernel accepts programs of this length") {
  for (const SocketRules rules : kAllRules) CHECK(GuardFilter(rules).size() <= BPF_MAXINSNS);
  for (const bool signals : {false, true}) {
    CHECK(SupervisedFilter({.signals = signals}).size() <= BPF_MAXINSNS);
    CHECK(SupervisedFilter({.signals = signals, .connects = true}).size() <= BPF_MAXINSNS);
  }
}
