#include "sandbox/linux/streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/syscall.h"
#include "sandbox/linux/kernel_abi.h"

namespace ringfence {
namespace {

constexpr std::array kStreamNames = {"standard input", "standard output", "standard error"};

}  // namespace

Result<OpenedFile> LookAtOpened(int fd) {
  FileStatus facts;
  const unsigned wanted = kStatusType | kStatusInode | kStatusMount;
  if (::syscall(SYS_statx, fd, "", AT_EMPTY_PATH, wanted, &facts) != 0) return SystemError("statx");
  return OpenedFile{facts.device_major, facts.device_minor, facts.inode, facts.mount,
                    S_ISFIFO(facts.mode)};
}

Result<std::vector<OpenedFile>> FindStreams() {
  std::vector<OpenedFile> streams;
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    Result<OpenedFile> file = LookAtOpened(fd);
    if (!file) return file.error();
    if (!file->is_pipe) streams.push_back(*file);
  }
  return streams;
}

Status CheckStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    const std::string name = kStreamNames[static_cast<size_t>(fd)];
    struct stat facts {};
    if (::fstat(fd, &facts) != 0) return SystemError("fstat(" + name + ")");
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0) return SystemError("fcntl(" + name + ")");
    if (!S_ISDIR(facts.st_mode) && (flags & O_PATH) == 0) continue;
    return Error{Error::Kind::kUsage, name,
                 "is a directory, from which a command could reach everything around it",
                 "redirect it from or to a file or /dev/null"};
  }
  return Unit{};
}

}  // namespace ringfence
