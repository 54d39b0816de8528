// Only in builds with a sanitizer: sends its reports to the pipe `ringfence-proxy.reports` beside
// the program, if there is one, in place of standard error. The worker can open no file once it is
// confined, so this happens before main(). The pipe closes when the last process has ended: then
// all reports have been made.
#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "base/program.h"
#include "base/unique_fd.h"

// The worker cannot start the process that names functions. To do it by hand:
// llvm-symbolizer --obj=ringfence-proxy OFFSET
constexpr const char* kOptions = "symbolize=0:color=never";
// NOLINTBEGIN(*-reserved-identifier)
extern "C" const char* __asan_default_options() { return kOptions; }
extern "C" const char* __tsan_default_options() { return kOptions; }
// Of a build that also counts branches: the proxy's processes would count for the unit tests.
extern "C" __attribute__((weak)) void __llvm_profile_set_filename(const char* name);
// NOLINTEND(*-reserved-identifier)

namespace ringfence {
namespace {

__attribute__((constructor)) void SendReportsToPipe() {
  __sanitizer_sandbox_on_notify(nullptr);  // reads what it needs from /proc now
  if (__llvm_profile_set_filename != nullptr) __llvm_profile_set_filename("/dev/null");
  const Result<std::string> program = OwnProgramReal();
  if (!program) return;
  const UniqueFd pipe(::open((*program + ".reports").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (!pipe.valid()) return;
  ::dup2(pipe.get(), STDERR_FILENO);
  // Shows a test that reports would arrive.
  constexpr std::string_view kBegin = "begin\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kBegin.data(), kBegin.size());
}

}  // namespace
}  // namespace ringfence
