// A command's manual page as plain values, taken from the options that the command declares.
// Printed as mdoc(7) for man(1), or as plain text.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace ringfence {

struct ManualOption {
  std::vector<std::string> names;  // "-h", "--help"; none: a positional argument
  std::string value;               // "DIR"; of a positional argument its name; "" for a flag
  std::string values;              // "sandbox,rx,rwx", where only those are accepted
  std::string what;
  bool is_required = false;
  bool is_repeated = false;

  bool is_positional() const { return names.empty(); }
};

// A command, or a command of a command ("log verify").
struct ManualCommand {
  std::string name;
  std::string what;
  std::vector<ManualOption> options;
};

struct ManualPage {
  ManualCommand command;
  std::vector<ManualCommand> parts;
  std::string examples;  // lines, each ends in a newline
  std::string exit_status;
  std::vector<std::string> see_also;  // names of pages of section 1
};

// `command` belongs to `app`, or is `app`: then the parts are all commands, without their options.
ManualPage ManualPageOf(const CLI::App& app, const CLI::App& command);

std::string ManualRoff(const ManualPage& page);
std::string ManualText(const ManualPage& page);

// "ringfence-run"
std::string ManualName(const ManualPage& page);

}  // namespace ringfence
