// The kernel's answer: an emulator of classic BPF as seccomp(2) uses it, so that a filter is tested
// on every machine and for every architecture's calls. It throws if the kernel would reject the
// filter.
#pragma once

#include <linux/filter.h>

#include <array>
#include <cstdint>
#include <iosfwd>
#include <span>

namespace ringfence {

struct Call {
  int64_t number = 0;  // its lower half counts
  uint32_t arch = 0;   // AUDIT_ARCH_...; 0: that of this program
  std::array<uint64_t, 6> args{};
};

struct FilterOutcome {
  enum class Kind : uint8_t { kAllow, kErrno, kNotify, kKill, kOther };
  Kind kind = Kind::kKill;
  int code = 0;  // the errno of kErrno

  bool operator==(const FilterOutcome&) const = default;
};
std::ostream& operator<<(std::ostream& out, const FilterOutcome& outcome);

constexpr FilterOutcome Allow() { return {FilterOutcome::Kind::kAllow, 0}; }
constexpr FilterOutcome Notify() { return {FilterOutcome::Kind::kNotify, 0}; }
constexpr FilterOutcome FailWith(int code) { return {FilterOutcome::Kind::kErrno, code}; }

FilterOutcome Evaluate(std::span<const sock_filter> filter, const Call& call);

// The AUDIT_ARCH_ constant of this program.
uint32_t OwnArchitecture();

}  // namespace ringfence
