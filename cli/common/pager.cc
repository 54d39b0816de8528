#include "cli/common/pager.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "base/environment.h"
#include "base/text.h"
#include "cli/common/foreground.h"
#include "run/stage_environment.h"

namespace ringfence {
namespace {

// Fixed paths, where the user has chosen none.
constexpr const char* kPagers[] = {"/usr/bin/less", "/bin/less", "/usr/local/bin/less",
                                   "/opt/homebrew/bin/less"};

std::vector<std::string> PagerEnvironment() {
  std::vector<std::string> environment{"LESSSECURE=1"};  // no shell, no other files
  for (const char* name : {"TERM", "LANG", "LC_ALL", "LC_CTYPE", "COLUMNS", "LINES"}) {
    const std::string value = Variable(name);
    if (!value.empty()) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

ForegroundCall PlainPager() {
  for (const char* pager : kPagers) {
    if (::access(pager, X_OK) != 0) continue;
    // -F: prints text that fits on the screen without waiting for a key. -R: shows colours.
    return {.program = pager, .arguments = {"-F", "-X", "-R"}, .environment = PagerEnvironment()};
  }
  return {};
}

// The pager of GIT_PAGER or PAGER, whose words are not read by a shell. Without one, less(1) with
// the user's own LESS, which git sets to "FRX" if it is empty.
ForegroundCall UsersPager() {
  for (const char* name : {"GIT_PAGER", "PAGER"}) {
    std::vector<std::string> words = SplitWords(Variable(name));
    if (words.empty()) continue;
    const std::string program = FindInPath(words.front());
    if (program.empty()) break;
    words.erase(words.begin());
    std::vector<std::string> environment = EnvironmentOfUser(OwnEnvironment());
    if (Variable("LESS").empty()) environment.emplace_back("LESS=FRX");
    return {.program = program, .arguments = std::move(words), .environment = environment};
  }
  return PlainPager();
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Returns false if the text was not shown.
bool RunPager(ForegroundCall call, const std::string& text) {
  if (call.program.empty()) return false;
  const std::unique_ptr<std::FILE, CloseFile> file(std::tmpfile());
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) return false;
  std::rewind(file.get());  // flushes first
  call.input = ::fileno(file.get());
  ::fcntl(call.input, F_SETFD, FD_CLOEXEC);
  return RunInForeground(call).has_value();
}

}  // namespace

void ShowText(const std::string& text, Pager pager) {
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0 && ::isatty(STDIN_FILENO) != 0;
  std::fflush(stdout);
  if (is_terminal && RunPager(pager == Pager::kUsers ? UsersPager() : PlainPager(), text)) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace ringfence
