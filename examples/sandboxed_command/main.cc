// Runs a program in a sandbox, with one additional writable directory for its data:
//
//   sandboxed_command [--plan] sandbox|rx|policy DATA_DIR PROGRAM [ARGUMENT...]
//
// The project is the current directory. With --plan it prints the plan and runs nothing.
#include <ringfence/sandbox.h>

#include <cstdio>
#include <string_view>

namespace sandbox = ringfence::sandbox;

namespace {

int Complain(const sandbox::Error& error) {
  std::fprintf(stderr, "sandboxed_command: %s\n", error.text().c_str());
  if (!error.remedy.empty()) std::fprintf(stderr, "  Hint: %s\n", error.remedy.c_str());
  return 125;
}

sandbox::Mode ModeOf(std::string_view name) {
  if (name == "rx") return sandbox::Mode::kReadOnly;
  return name == "sandbox" ? sandbox::Mode::kSandbox : sandbox::Mode::kPolicy;
}

int ShowPlan(const sandbox::Command& command) {
  const sandbox::Expected<std::string> plan = sandbox::Plan(command);
  if (!plan) return Complain(plan.error());
  std::fputs(plan->c_str(), stdout);
  return 0;
}

int Run(const sandbox::Command& command) {
  sandbox::Expected<sandbox::Process> process = sandbox::Spawn(command);
  if (!process) return Complain(process.error());
  const sandbox::Expected<sandbox::End> end = process->Wait();
  if (!end) return Complain(end.error());
  if (!end->not_run.empty()) std::fprintf(stderr, "not run: %s\n", end->not_run.c_str());
  for (const sandbox::Refusal& refusal : end->refusals) {
    std::fprintf(stderr, "refused: %s\n", refusal.why.c_str());
  }
  return end->status;
}

}  // namespace

int main(int argc, char** argv) {
  const bool shows = argc > 1 && std::string_view(argv[1]) == "--plan";
  char** const words = argv + (shows ? 2 : 1);
  if (argv + argc - words < 3) {
    std::fputs("usage: sandboxed_command [--plan] sandbox|rx|policy DATA_DIR PROGRAM...\n", stderr);
    return 2;
  }
  const sandbox::Command command{
      .argv = {words + 2, argv + argc}, .mode = ModeOf(words[0]), .data_dir = words[1]};
  return shows ? ShowPlan(command) : Run(command);
}
