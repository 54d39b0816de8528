#include "base/program.h"

#ifdef __linux__
#include <sys/auxv.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#endif
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>

#include "base/path.h"
#include "base/syscall.h"

namespace ringfence {

std::string OwnProgram() {
#ifdef __linux__
  // The kernel passes the address of the string (getauxval(3)).
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const auto* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return name == nullptr ? "" : name;
#elif defined(__APPLE__)
  std::array<char, 1024> name{};
  uint32_t size = name.size();
  return ::_NSGetExecutablePath(name.data(), &size) == 0 ? name.data() : "";
#else
  return "";
#endif
}

Result<std::string> OwnProgramReal() {
#ifdef __linux__
  constexpr const char* kSelf = "/proc/self/exe";  // proc(5)
  std::string name(4096, '\0');                    // PATH_MAX
  const ssize_t length = ::readlink(kSelf, name.data(), name.size());
  if (length >= 0) return name.substr(0, static_cast<size_t>(length));
  const bool is_hidden = errno == ENOENT || errno == EACCES || errno == ELOOP;
  if (!is_hidden) return SystemError("readlink(" + std::string(kSelf) + ")");
#endif
  return std::string();
}

Result<std::string> ProgramBeside(std::string_view name) {
  Result<std::string> own = OwnProgramReal();
  if (!own) return own;
  const std::optional<Path> path = Path::Parse(own->empty() ? OwnProgram() : *own);
  if (path) return path->Parent().Child(name).text();
  return Error{Error::Kind::kSystem, "", "this program's own directory is unknown",
               "start it by its absolute path"};
}

Error ProgramNotStarted(const std::string& program, int code) {
  Error error = SystemError("start " + program, code);
  // The dynamic loader is what is missing.
  const bool is_there = code == ENOENT && ::access(program.c_str(), F_OK) == 0;
  error.hint =
      is_there ? kNeedsGlibc : "the programs of ringfence belong together: install ringfence again";
  return error;
}

std::vector<char*> ArgumentPointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace ringfence
