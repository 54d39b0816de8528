#include "cli/common/host_tools.h"

#ifdef __linux__
#include <elf.h>
#endif
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/environment.h"
#include "base/path.h"
#include "base/process.h"
#include "base/program.h"
#include "base/syscall.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

bool IsProgram(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

#ifdef __linux__
std::string FindProgram(std::string_view name) {
  for (const char* folder : {"/usr/bin/", "/bin/", "/usr/local/bin/"}) {
    std::string path = folder + std::string(name);
    if (IsProgram(path)) return path;
  }
  return "";
}
#endif

#ifdef __linux__
// A program without an interpreter has no dynamic linker, so nothing can be preloaded.
bool IsImmuneToPreloading(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Elf64_Ehdr header{};
  if (!fd.valid() || ::pread(fd.get(), &header, sizeof header, 0) != sizeof header) return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return false;
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    const auto at = static_cast<off_t>(header.e_phoff + i * sizeof segment);
    if (::pread(fd.get(), &segment, sizeof segment, at) != sizeof segment) return false;
    if (segment.p_type == PT_INTERP) return false;
  }
  return true;
}
#else
// Programs on this system always have a dynamic linker, so there is nothing to check in the file.
bool IsImmuneToPreloading(const std::string&) { return true; }
#endif

// Returns this program's own file with links resolved, also where /proc is hidden. An error if that
// file is gone: an update may have replaced it.
Result<std::string> OwnFile() {
  Result<std::string> own = OwnProgramReal();
  if (!own) return own;
  const std::string name = own->empty() ? OwnProgram() : *own;
  std::error_code failed;
  const auto file = std::filesystem::canonical(name, failed);
  if (failed) return SystemError("realpath(" + name + ")", failed.value());
  return file.string();
}

Result<std::string> AbsoluteProgram(const std::string& path) {
  std::string absolute = Absolute(path);
  if (!absolute.starts_with('/')) return NoCurrentDirectory("go to an existing directory");
  return absolute;
}

}  // namespace

std::string SandboxTools::MissingText() const {
  std::string text;
  for (const std::string& name : missing) text += (text.empty() ? "" : " and ") + name;
  return text;
}

SandboxTools FindSandboxTools() {
  SandboxTools tools;
#ifdef __linux__
  const std::string bwrap = FindProgram("bwrap");
  if (bwrap.empty()) tools.missing.emplace_back("bwrap");
  if (FindProgram("socat").empty()) tools.missing.emplace_back("socat");
  if (!tools.missing.empty()) return tools;
  // A container or a hardened kernel can refuse what bwrap needs.
  const Result<Finished> tried =
      Run({.program = bwrap,
           .arguments = {"--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/",
                         "--proc", "/proc", "--dev", "/dev", "/bin/true"},
           .environment = {"PATH=/usr/bin:/bin"}});
  if (!tried) {
    tools.broken = tried.error().text();
  } else if (tried->exit_status != 0) {
    tools.broken = bwrap + " failed: " + Quote(tried->err, 200);
  }
#endif
  return tools;
}

Result<HookProgram> FindHookProgram(const std::string& option) {
  const Result<std::string> own = OwnFile();
  Result<std::string> path = option.empty() ? own : AbsoluteProgram(option);
  if (!path) return path.error();
  if (option.empty()) path = Path::Clean(*path).Parent().Child("ringfence-hook").text();
  if (!IsProgram(*path)) {
    return UsageError(option.empty() ? "" : "--hook", Quote(*path) + " is not a program",
                      option.empty()
                          ? "install ringfence again, or name the hook's program by --hook PATH"
                          : "name the hook's program by --hook PATH");
  }
  if (!IsValidUtf8(*path)) {
    return UsageError("--hook", Quote(*path) + " is not UTF-8", "install it to another directory");
  }
  return HookProgram{*path, IsImmuneToPreloading(*path), own ? *own : ""};
}

bool IsBelowAHome(const std::string& path, const std::string& home) {
  for (const std::string& folder : {home, std::string("/home"), std::string("/Users"),
                                    std::string("/root"), std::string("/var/root")}) {
    if (path.starts_with(folder + "/")) return true;
  }
  return false;
}

}  // namespace ringfence
