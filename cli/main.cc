// The command that people type.
#include <exception>

#include "cli/options.h"
#include "run/messages.h"

int main(int argc, char** argv) {
  try {
    return ringfence::RunCommandLine(argc, argv);
  } catch (const std::exception& exception) {
    ringfence::PrintError({ringfence::Error::Kind::kSystem, "", exception.what(), ""});
    return 2;
  }
}
