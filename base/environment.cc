#include "base/environment.h"

#ifdef __APPLE__
#include <crt_externs.h>
#endif
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "base/path.h"

namespace ringfence {

std::string CurrentDirectory() {
  const std::unique_ptr<char, decltype(&std::free)> folder(::getcwd(nullptr, 0), &std::free);
  return folder == nullptr ? "" : folder.get();
}

Error NoCurrentDirectory(std::string hint) {
  return UsageError("the current directory", "it was removed, or you may not enter it",
                    std::move(hint));
}

std::string Absolute(const std::string& path) {
  if (path.starts_with('/')) return Path::Clean(path).text();
  const std::string folder = CurrentDirectory();
  return folder.empty() ? path : Path::Clean(folder + "/" + path).text();
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

char** EnvironmentPointers() {
#ifdef __APPLE__
  return *::_NSGetEnviron();
#else
  return environ;
#endif
}

std::vector<std::string> OwnEnvironment() {
  std::vector<std::string> all;
  for (char** variable = EnvironmentPointers(); *variable != nullptr; ++variable)
    all.emplace_back(*variable);
  return all;
}

}  // namespace ringfence
