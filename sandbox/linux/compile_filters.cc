// Build-time tool: compiles the filters with libseccomp and prints them as C++. Starting a sandbox
// then needs no compilation, and the launcher does not link the library.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/not_copied.h"
#include "sandbox/seccomp_filter.h"

namespace ringfence {
namespace {

constexpr unsigned kNotifyLevel = 5;    // of seccomp_api_get(3): has SCMP_ACT_NOTIFY, Linux 5.0
constexpr uint64_t kWord = 0xFFFFFFFF;  // the kernel uses the lower half of an int argument

[[noreturn]] void Fail(const char* what, std::string_view name) {
  std::fprintf(stderr, "compile_filters: %s %.*s\n", what, static_cast<int>(name.size()),
               name.data());
  std::exit(1);
}

class FilterBuilder : NotCopied {
 public:
  FilterBuilder() : context_(::seccomp_init(SCMP_ACT_ALLOW)) {
    if (context_ == nullptr) Fail("seccomp_init", "");
    // Calls of another architecture (32-bit) and of x32 are never carried out. The supervisor
    // reports why (AnswerForeign()); without a listener, the kernel returns ENOSYS.
    Check(::seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_NOTIFY), "badarch");
    Check(::seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, 2), "optimize");
  }
  ~FilterBuilder() { ::seccomp_release(context_); }

  void Add(std::span<const CallName> calls, uint32_t action) {
    for (const CallName& call : calls) Add(call, action, {});
  }

  void Add(const CallName& call, uint32_t action, std::vector<scmp_arg_cmp> conditions) {
    const int number =
        call.number >= 0 ? call.number : ::seccomp_syscall_resolve_name(call.name.data());
    if (number == __NR_SCMP_ERROR) Fail("unknown call", call.name);
    if (number < 0) return;  // this architecture does not have it
    const int failed = ::seccomp_rule_add_array(
        context_, action, number, static_cast<unsigned>(conditions.size()), conditions.data());
    if (failed != 0) Fail("rule for", call.name);
  }

  std::vector<sock_filter> Export() {
    const int file = ::memfd_create("filter", MFD_CLOEXEC);
    if (file < 0 || ::seccomp_export_bpf(context_, file) != 0) Fail("export", "");
    const off_t size = ::lseek(file, 0, SEEK_END);
    std::vector<sock_filter> program(static_cast<size_t>(size) / sizeof(sock_filter));
    if (::pread(file, program.data(), static_cast<size_t>(size), 0) != size) Fail("read", "");
    ::close(file);
    return program;
  }

 private:
  static void Check(int failed, const char* what) {
    if (failed != 0) Fail("attribute", what);
  }
  scmp_filter_ctx context_;
};

scmp_arg_cmp Bit(unsigned argument, uint32_t bit) {
  return {argument, SCMP_CMP_MASKED_EQ, bit, bit};
}
scmp_arg_cmp LowWord(unsigned argument, uint32_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, kWord, value};
}
// An ioctl(2) request, whatever the size of its argument.
scmp_arg_cmp Request(uint32_t type_and_number) {
  return {1, SCMP_CMP_MASKED_EQ, 0xFFFF, type_and_number};
}

void AddSockets(FilterBuilder& filter, SocketRules rules) {
  const uint32_t no_family = SCMP_ACT_ERRNO(EAFNOSUPPORT);
  for (uint32_t family = 0; family < kFamilies; ++family) {
    const bool is_internet = family == kInternetFamily || family == kInternet6Family;
    const bool usual = family == kUnixFamily ? rules == SocketRules::kUsual
                                             : is_internet && rules != SocketRules::kNoneAtAll;
    const bool has_routes = rules == SocketRules::kUsual || rules == SocketRules::kNoUnix;
    if (usual || (family == kNetlinkFamily && has_routes)) continue;
    filter.Add({"socket"}, no_family, {LowWord(0, family)});
    if (family != kUnixFamily) filter.Add({"socketpair"}, no_family, {LowWord(0, family)});
  }
  if (rules != SocketRules::kUsual) {
    for (const uint32_t type : kAddressableSocketTypes) {
      filter.Add({"socketpair"}, no_family,
                 {LowWord(0, kUnixFamily), {1, SCMP_CMP_MASKED_EQ, kSocketTypeBits, type}});
    }
  }
  for (uint32_t protocol = 1; protocol < kNetlinkProtocols; ++protocol) {
    filter.Add({"socket"}, no_family, {LowWord(0, kNetlinkFamily), LowWord(2, protocol)});
  }
}

// Leaves TCP sockets that connect. The protocol is compared bit by bit, since a rule can only
// compare an argument once.
void LeaveOnlyTcp(FilterBuilder& filter) {
  for (const uint32_t family : {kInternetFamily, kInternet6Family}) {
    const auto refuse = [&](const scmp_arg_cmp& condition) {
      filter.Add({"socket"}, SCMP_ACT_ERRNO(EAFNOSUPPORT), {LowWord(0, family), condition});
    };
    for (uint32_t type = 0; type <= kSocketTypeBits; ++type) {
      if (type != kStreamType) refuse({1, SCMP_CMP_MASKED_EQ, kSocketTypeBits, type});
    }
    for (uint32_t bit = 0; bit < 32; ++bit) {
      if ((kTcpNumber & 1u << bit) == 0) refuse(Bit(2, 1u << bit));
    }
    for (uint32_t part = 1; part < kTcpNumber; ++part) {
      if ((part & ~kTcpNumber) == 0) refuse(LowWord(2, part));
    }
  }
  filter.Add({"listen"}, SCMP_ACT_ERRNO(EACCES), {});
  for (const SocketOption& option : kRefusedSocketOptions) {
    filter.Add({"setsockopt"}, SCMP_ACT_ERRNO(EPERM),
               {LowWord(1, option.level), LowWord(2, option.name)});
  }
  filter.Add({"sendto"}, SCMP_ACT_ERRNO(EOPNOTSUPP), {Bit(3, kFastOpen)});
  filter.Add({"sendmsg"}, SCMP_ACT_ERRNO(EOPNOTSUPP), {Bit(2, kFastOpen)});
  filter.Add({"sendmmsg"}, SCMP_ACT_ERRNO(EOPNOTSUPP), {Bit(3, kFastOpen)});
}

// The filter for every process of the sandbox, including the supervisor.
std::vector<sock_filter> GuardProgram(SocketRules sockets) {
  FilterBuilder filter;
  filter.Add(kRefusedCalls, SCMP_ACT_ERRNO(EPERM));
  filter.Add(kAbsentCalls, SCMP_ACT_ERRNO(ENOSYS));
  if (sockets != SocketRules::kUsual) filter.Add(kCallsBeyondLandlock, SCMP_ACT_ERRNO(ENOSYS));
  for (const uint32_t flag : kNamespaceFlags) {
    filter.Add({"clone"}, SCMP_ACT_ERRNO(EPERM), {Bit(0, flag)});
    filter.Add({"unshare"}, SCMP_ACT_ERRNO(EPERM), {Bit(0, flag)});
  }
  filter.Add({"unshare"}, SCMP_ACT_ERRNO(EPERM), {Bit(0, kNewTimeNamespace)});
  for (const uint32_t request : kRefusedTerminalRequests) {
    filter.Add({"ioctl"}, SCMP_ACT_ERRNO(EPERM), {LowWord(1, request)});
  }
  for (const uint32_t request : kRefusedSubvolumeRequests) {
    filter.Add({"ioctl"}, SCMP_ACT_ERRNO(EPERM), {Request(request)});
  }
  for (const uint32_t type : {kBcachefsRequests, kF2fsRequests}) {
    filter.Add({"ioctl"}, SCMP_ACT_ERRNO(EPERM), {{1, SCMP_CMP_MASKED_EQ, 0xFF00, type}});
  }
  for (const uint32_t request : kRefusedFileRequests) {
    filter.Add({"ioctl"}, SCMP_ACT_ERRNO(EPERM), {Request(request)});
  }
  filter.Add({"setrlimit"}, SCMP_ACT_ERRNO(0), {LowWord(0, kCoreLimit)});
  filter.Add({"prlimit64"}, SCMP_ACT_ERRNO(0),
             {LowWord(1, kCoreLimit), {2, SCMP_CMP_NE, 0, 0}, {3, SCMP_CMP_EQ, 0, 0}});
  // These calls also expect the old limit, which a filter cannot return.
  filter.Add({"prlimit64"}, SCMP_ACT_ERRNO(EPERM),
             {LowWord(1, kCoreLimit), {2, SCMP_CMP_NE, 0, 0}, {3, SCMP_CMP_NE, 0, 0}});
  filter.Add({"shmctl"}, SCMP_ACT_ERRNO(EPERM), {LowWord(1, kLockSharedMemory)});
  for (const uint32_t command : kRefusedFileCommands) {
    filter.Add({"fcntl"}, SCMP_ACT_ERRNO(EPERM), {LowWord(1, command)});
  }
  AddSockets(filter, sockets);
  if (sockets == SocketRules::kTcpOnly) LeaveOnlyTcp(filter);
  return filter.Export();
}

void AddSignals(FilterBuilder& filter) {
  filter.Add(kSignalCalls, SCMP_ACT_NOTIFY);
  for (const uint32_t command : kSignalOwnerCommands) {
    filter.Add({"fcntl"}, SCMP_ACT_ERRNO(EPERM), {LowWord(1, command)});
  }
  for (const uint32_t request : kSignalOwnerRequests) {
    filter.Add({"ioctl"}, SCMP_ACT_ERRNO(EPERM), {LowWord(1, request)});
  }
}

// The filter for the command and its children.
std::vector<sock_filter> Supervised(SupervisedExtras extras) {
  FilterBuilder filter;
  if (extras.signals) AddSignals(filter);
  if (extras.connects) filter.Add(kConnectCalls, SCMP_ACT_NOTIFY);
  filter.Add(kSupervisedCalls, SCMP_ACT_NOTIFY);
  filter.Add(kSupervisorsOwnCalls, SCMP_ACT_ERRNO(EPERM));
  // Its flags are in memory; programs fall back to openat(2).
  filter.Add({"openat2"}, SCMP_ACT_ERRNO(ENOSYS), {});
  for (const uint32_t flag : kChangingOpenFlags) {
    filter.Add({"open"}, SCMP_ACT_NOTIFY, {Bit(1, flag)});
    filter.Add({"openat"}, SCMP_ACT_NOTIFY, {Bit(2, flag)});
  }
  // The supervisor recognizes a nested sandbox by this limit (nested_rules.h).
  filter.Add({"setrlimit"}, SCMP_ACT_ERRNO(EPERM), {LowWord(0, kMarkingLimit)});
  filter.Add({"prlimit64"}, SCMP_ACT_ERRNO(EPERM),
             {LowWord(1, kMarkingLimit), {2, SCMP_CMP_NE, 0, 0}});
  // No process may set another's limits: they can end a process, even the supervisor.
  filter.Add({"prlimit64"}, SCMP_ACT_ERRNO(EPERM),
             {{0, SCMP_CMP_NE, 0, 0}, {2, SCMP_CMP_NE, 0, 0}});
  return filter.Export();
}

// Rejects calls newer than this program before any other check.
constexpr sock_filter kNoNewCalls[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, kNewestCall, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
};

void PrintProgram(const char* name, const std::vector<sock_filter>& program, bool no_new_calls) {
  std::printf("constexpr sock_filter %s[] = {\n", name);
  const auto line = [](const sock_filter& f) {
    std::printf("    {0x%x, %u, %u, 0x%x},\n", f.code, f.jt, f.jf, f.k);
  };
  if (no_new_calls) {
    for (const sock_filter& f : kNoNewCalls) line(f);
  }
  for (const sock_filter& f : program) line(f);
  std::printf("};\n");
}

}  // namespace
}  // namespace ringfence

int main() {
  using namespace ringfence;
  // The kernel that builds, or qemu-user, may offer less than the one that runs the filters.
  if (::seccomp_api_set(kNotifyLevel) != 0) Fail("seccomp_api_set", "");
  std::printf("// Made by compile_filters while building.\n");
  PrintProgram("kGuardUsual", GuardProgram(SocketRules::kUsual), true);
  PrintProgram("kGuardNoUnix", GuardProgram(SocketRules::kNoUnix), true);
  PrintProgram("kGuardTcpOnly", GuardProgram(SocketRules::kTcpOnly), true);
  PrintProgram("kGuardNoneAtAll", GuardProgram(SocketRules::kNoneAtAll), true);
  PrintProgram("kSupervisedFilter", Supervised({}), false);
  PrintProgram("kSignalsFilter", Supervised({.signals = true}), false);
  PrintProgram("kConnectsFilter", Supervised({.connects = true}), false);
  PrintProgram("kSignalsAndConnectsFilter", Supervised({.signals = true, .connects = true}), false);
  return 0;
}
