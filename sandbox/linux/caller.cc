#include "sandbox/linux/caller.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>

#include "base/syscall.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {
namespace {

constexpr uint64_t kLeastPage = 4096;  // smallest size; a read within one page cannot fault midway

// Returns the number after `key` in the text of /proc/PID/status; `base` is 8, 10 or 16.
std::optional<uint64_t> StatusNumber(const std::string& status, std::string_view key, int base) {
  const size_t at = status.find(key);
  if (at == std::string::npos) return {};
  size_t from = at + key.size();
  while (from < status.size() && (status[from] == ' ' || status[from] == '\t')) ++from;
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(status.data() + from, status.data() + status.size(), number, base);
  if (error != std::errc()) return {};
  return number;
}

}  // namespace

std::string PseudoTerminalName(dev_t device) {
  constexpr unsigned kPseudoTerminals = 136;  // to 143 (Documentation/admin-guide/devices.txt)
  const unsigned major = major(device);
  if (device == 0 || major < kPseudoTerminals || major > kPseudoTerminals + 7) return "";
  return "pts/" + std::to_string((major - kPseudoTerminals) * 256 + minor(device));
}

bool SupervisedCaller::IsWaiting() const {
  return ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_ID_VALID, &call_.id) == 0;
}

Result<std::string> SupervisedCaller::ReadBytes(uint64_t address, size_t size) const {
  std::string bytes(size, '\0');
  const iovec own{bytes.data(), size};
  const iovec other{reinterpret_cast<void*>(address), size};  // NOLINT: an address is a number here
  const ssize_t got = ::process_vm_readv(static_cast<pid_t>(call_.pid), &own, 1, &other, 1, 0);
  if (got != static_cast<ssize_t>(size)) return Errno(got < 0 ? errno : EFAULT);
  return bytes;
}

// Reads page by page, since the page after the path may not be mapped.
Result<std::string> SupervisedCaller::ReadPath(uint64_t address) const {
  std::string path;
  while (path.size() < PATH_MAX) {
    const size_t size = std::min<uint64_t>(kLeastPage - (address + path.size()) % kLeastPage,
                                           PATH_MAX - path.size());
    Result<std::string> part = ReadBytes(address + path.size(), size);
    if (!part) return part;
    const size_t end = part->find('\0');
    path.append(*part, 0, end);
    if (end != std::string::npos) return path;
  }
  return Errno(ENAMETOOLONG);
}

std::string SupervisedCaller::ReadOwnFile(const char* name) const {
  const std::string path = std::to_string(call_.pid) + "/" + name;
  const UniqueFd file(::openat(supervision_.proc.get(), path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return "";
  std::array<char, 2048> text{};
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  return got > 0 ? std::string(text.data(), static_cast<size_t>(got)) : "";
}

pid_t SupervisedCaller::process() const {
  const auto id = StatusNumber(ReadOwnFile("status"), "\nTgid:", 10);
  return id ? static_cast<pid_t>(*id) : 0;
}

std::string SupervisedCaller::ProgramName() const {
  std::string name = ReadOwnFile("comm");
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

mode_t SupervisedCaller::Umask() const {
  const auto mask = StatusNumber(ReadOwnFile("status"), "\nUmask:", 8);
  return mask ? static_cast<mode_t>(*mask) & 0777 : 077;
}

bool SupervisedCaller::HasSignal() const {
  const std::string status = ReadOwnFile("status");
  const auto set = [&status](std::string_view key) {
    return StatusNumber(status, key, 16).value_or(0);
  };
  return ((set("\nSigPnd:") | set("\nShdPnd:")) & ~set("\nSigBlk:")) != 0;
}

// Reads field 7 of /proc/PID/stat, which follows the program's name in parentheses.
std::string SupervisedCaller::TerminalName() const {
  const std::string stat = ReadOwnFile("stat");
  size_t at = stat.rfind(')');
  if (at == std::string::npos) return "";
  for (int skipped = 0; skipped < 5 && at != std::string::npos; ++skipped) {
    at = stat.find(' ', at + 1);
  }
  if (at == std::string::npos) return "";
  unsigned device = 0;
  std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), device);
  return PseudoTerminalName(device);
}

Result<UniqueFd> SupervisedCaller::Descriptor(int fd) const {
  // Threads usually share their descriptors. Before Linux 6.9, only a thread group leader's can be
  // taken.
  UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, call_.pid, 0)));
  if (!process.valid()) {
    const pid_t leader = this->process();
    if (leader > 0) process = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, leader, 0)));
  }
  if (!process.valid()) return Errno(EBADF);
  UniqueFd own(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), fd, 0)));
  if (!own.valid()) return Errno(errno);
  return own;
}

Result<UniqueFd> SupervisedCaller::Folder(int fd) const {
  if (fd != AT_FDCWD) return Descriptor(fd);
  const std::string path = std::to_string(call_.pid) + "/cwd";
  UniqueFd folder(
      ::openat(supervision_.proc.get(), path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return Errno(errno);
  return folder;
}

void SupervisedCaller::Send(seccomp_notif_resp response) const {
  response.id = call_.id;
  // ENOENT: the caller has gone and needs no answer.
  [[maybe_unused]] const int sent = ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

void SupervisedCaller::ReturnDescriptor(UniqueFd fd, bool close_on_exec) const {
  seccomp_notif_addfd added{};
  added.id = call_.id;
  added.srcfd = static_cast<uint32_t>(fd.get());
  added.newfd_flags = close_on_exec ? O_CLOEXEC : 0;
  const int number = ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_ADDFD, &added);
  const int code = errno;
  fd = UniqueFd();
  if (number >= 0) return ReturnValue(number);
  if (code != ENOENT) ReturnError(code);  // EMFILE: the caller has too many descriptors
}

}  // namespace ringfence
