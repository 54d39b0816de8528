#include "agents/claude/shell.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/open_path.h"
#include "base/path.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxCommandLine = size_t{4} << 20;  // more than the kernel allows any program
constexpr std::string_view kShells[] = {"bash", "zsh"};

Error Odd(std::string what) {
  return UsageError("enter", std::move(what),
                    "the client's shell starts this program, by a line that the hook wrote; do not "
                    "run it yourself");
}

Result<std::string> ReadWhole(const UniqueFd& folder, const char* name) {
  const UniqueFd file(::openat(folder.get(), name, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return SystemError("open(" + std::string(name) + ")");
  return ReadAll(file.get(), kMaxCommandLine, name);
}

Result<std::string> ReadLinkIn(const UniqueFd& folder, const char* name) {
  std::string target(4096, '\0');  // PATH_MAX
  const ssize_t size = ::readlinkat(folder.get(), name, target.data(), target.size());
  if (size < 0) return SystemError("readlink(" + std::string(name) + ")");
  target.resize(static_cast<size_t>(size));
  return target;
}

}  // namespace

Result<std::vector<std::string>> ParseShellWords(std::string_view command_line) {
  std::vector<std::string> words;
  while (!command_line.empty()) {
    const size_t end = command_line.find('\0');
    if (end == std::string_view::npos) return Odd("the shell's command line was truncated");
    words.emplace_back(command_line.substr(0, end));
    command_line.remove_prefix(end + 1);
  }
  const bool is_login = words.size() == 4 && words[2] == "-l";
  if ((words.size() != 3 && !is_login) || words[1] != "-c") {
    return Odd("the shell that started this has no script");
  }
  return words;
}

Result<ClientShell> ReadParentShell() {
  const pid_t parent = ::getppid();
  const std::string name = "/proc/" + std::to_string(parent);
  const UniqueFd folder(::open(name.c_str(), kOpenPath | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return SystemError("open(" + name + ")");
  Result<std::string> program = ReadLinkIn(folder, "exe");
  if (!program) {
    Error error = program.error();
    error.hint =
        "nothing can be confined inside the client's own sandbox: run ringfence init, which "
        "switches it off where commands are wrapped";
    return error;
  }
  Result<std::string> line = ReadWhole(folder, "cmdline");
  if (!line) return line.error();
  if (::getppid() != parent) return Odd("the shell that started this has ended");
  if (std::ranges::find(kShells, BaseName(*program)) == std::end(kShells)) {
    return Odd(Quote(*program) + " is not the client's shell");
  }
  Result<std::vector<std::string>> words = ParseShellWords(*line);
  if (!words) return words.error();
  return ClientShell{std::move(*program), std::move(*words)};
}

Result<std::string> WithoutLine(const std::string& script, const std::string& line) {
  constexpr std::string_view kBefore = "eval '";
  const size_t at = script.find(std::string(kBefore) + line);
  if (at == std::string::npos)
    return Odd("the script does not run the command that the hook wrote");
  return std::string(script).erase(at + kBefore.size(), line.size());
}

std::string DirectoryFile(std::string_view script) {
  constexpr std::string_view kWrites = " && pwd -P >| ";
  const size_t at = script.rfind(kWrites);
  if (at == std::string_view::npos) return "";
  std::string_view name = script.substr(at + kWrites.size());
  const bool is_quoted = name.size() > 2 && name.starts_with('\'') && name.ends_with('\'');
  if (is_quoted) name = name.substr(1, name.size() - 2);
  const char* const special = is_quoted ? "'" : "'\"\\$`;&|<>()*?[]{}~!# \t\n";
  const bool is_plain = name.find_first_of(special) == std::string_view::npos;
  const std::optional<Path> path = Path::Parse(name);
  return is_plain && path && path->text() == name ? std::string(name) : "";
}

}  // namespace ringfence
