#include "tests/support/seccomp_emulator.h"

#include <linux/audit.h>
#include <linux/seccomp.h>

#include <cstring>
#include <ostream>
#include <stdexcept>

namespace ringfence {
namespace {

class Machine {
 public:
  Machine(std::span<const sock_filter> filter, const seccomp_data& data)
      : filter_(filter), data_(data) {}

  uint32_t Run() {
    if (filter_.empty() || filter_.size() > BPF_MAXINSNS) throw std::runtime_error("bpf: length");
    for (;;) {
      if (at_ >= filter_.size()) throw std::runtime_error("bpf: runs past its end");
      const sock_filter& line = filter_[at_++];
      switch (BPF_CLASS(line.code)) {
        case BPF_LD:
          accumulator_ = Load(line);
          break;
        case BPF_LDX:
          index_ = Load(line);
          break;
        case BPF_ST:
          memory_.at(line.k) = accumulator_;
          break;
        case BPF_STX:
          memory_.at(line.k) = index_;
          break;
        case BPF_ALU:
          accumulator_ = Calculate(line);
          break;
        case BPF_JMP:
          at_ += Jump(line);
          break;
        case BPF_RET:
          return BPF_RVAL(line.code) == BPF_A ? accumulator_ : line.k;
        default:  // BPF_MISC
          Move(line);
      }
    }
  }

 private:
  [[noreturn]] static void Unknown() { throw std::runtime_error("bpf: unknown instruction"); }

  uint32_t Operand(const sock_filter& line) const {
    return BPF_SRC(line.code) == BPF_X ? index_ : line.k;
  }

  uint32_t Load(const sock_filter& line) const {
    switch (BPF_MODE(line.code)) {
      case BPF_IMM:
        return line.k;
      case BPF_MEM:
        return memory_.at(line.k);
      case BPF_LEN:
        return sizeof data_;
      case BPF_ABS: {
        const bool fits = line.k % 4 == 0 && line.k <= sizeof data_ - 4;
        if (!fits || BPF_SIZE(line.code) != BPF_W) throw std::runtime_error("bpf: load");
        std::array<char, sizeof data_> bytes{};
        std::memcpy(bytes.data(), &data_, sizeof data_);
        uint32_t word = 0;
        std::memcpy(&word, &bytes.at(line.k), sizeof word);
        return word;
      }
      default:
        Unknown();
    }
  }

  uint32_t Calculate(const sock_filter& line) const {
    const uint32_t operand = Operand(line);
    switch (BPF_OP(line.code)) {
      case BPF_ADD:
        return accumulator_ + operand;
      case BPF_SUB:
        return accumulator_ - operand;
      case BPF_MUL:
        return accumulator_ * operand;
      case BPF_DIV:
        if (operand == 0) throw std::runtime_error("bpf: division by zero");
        return accumulator_ / operand;
      case BPF_AND:
        return accumulator_ & operand;
      case BPF_OR:
        return accumulator_ | operand;
      case BPF_XOR:
        return accumulator_ ^ operand;
      case BPF_LSH:
        return operand < 32 ? accumulator_ << operand : 0;
      case BPF_RSH:
        return operand < 32 ? accumulator_ >> operand : 0;
      case BPF_NEG:
        return 0 - accumulator_;
      default:
        Unknown();
    }
  }

  // The number of instructions to skip.
  size_t Jump(const sock_filter& line) const {
    const uint32_t operand = Operand(line);
    switch (BPF_OP(line.code)) {
      case BPF_JA:
        return line.k;
      case BPF_JEQ:
        return accumulator_ == operand ? line.jt : line.jf;
      case BPF_JGT:
        return accumulator_ > operand ? line.jt : line.jf;
      case BPF_JGE:
        return accumulator_ >= operand ? line.jt : line.jf;
      case BPF_JSET:
        return (accumulator_ & operand) != 0 ? line.jt : line.jf;
      default:
        Unknown();
    }
  }

  void Move(const sock_filter& line) {
    switch (BPF_MISCOP(line.code)) {
      case BPF_TAX:
        index_ = accumulator_;
        break;
      case BPF_TXA:
        accumulator_ = index_;
        break;
      default:
        Unknown();
    }
  }

  std::span<const sock_filter> filter_;
  const seccomp_data& data_;
  size_t at_ = 0;
  uint32_t accumulator_ = 0;
  uint32_t index_ = 0;
  std::array<uint32_t, BPF_MEMWORDS> memory_{};
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const FilterOutcome& outcome) {
  switch (outcome.kind) {
    case FilterOutcome::Kind::kAllow:
      return out << "allow";
    case FilterOutcome::Kind::kErrno:
      return out << "errno " << outcome.code;
    case FilterOutcome::Kind::kNotify:
      return out << "notify";
    case FilterOutcome::Kind::kKill:
      return out << "kill";
    case FilterOutcome::Kind::kOther:
      break;
  }
  return out << "other";
}

FilterOutcome Evaluate(std::span<const sock_filter> filter, const Call& call) {
  seccomp_data data{};
  data.nr = static_cast<int>(call.number);
  data.arch = call.arch == 0 ? OwnArchitecture() : call.arch;
  data.instruction_pointer = 0x7FFF'1234'5678;
  for (size_t i = 0; i < call.args.size(); ++i) data.args[i] = call.args.at(i);
  const uint32_t value = Machine(filter, data).Run();
  switch (value & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
      return Allow();
    case SECCOMP_RET_ERRNO:
      return FailWith(static_cast<int>(value & SECCOMP_RET_DATA));
    case SECCOMP_RET_USER_NOTIF:
      return Notify();
    case SECCOMP_RET_KILL_PROCESS:
    case SECCOMP_RET_KILL_THREAD:
      return {FilterOutcome::Kind::kKill, 0};
    default:
      return {FilterOutcome::Kind::kOther, 0};
  }
}

uint32_t OwnArchitecture() {
#if defined(__x86_64__)
  return AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  return AUDIT_ARCH_AARCH64;
#else
#error "name this architecture here"
#endif
}

}  // namespace ringfence
