// The data of a command's manual page, taken from the options that it declares. Rendered as mdoc(7)
// for man(1), or as plain text.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace ringfence {

struct ManualOption {
  std::vector<std::string> names;  // "-h", "--help"; empty for a positional argument
  std::string value;               // "DIR"; the name of a positional argument; "" for a flag
  std::string values;              // "sandbox,rx,rwx" if no other values are accepted
  std::string what;
  bool is_required = false;
  bool is_repeated = false;

  bool is_positional() const { return names.empty(); }
};

// A command or a subcommand ("log verify").
struct ManualCommand {
  std::string name;
  std::string what;
  std::vector<ManualOption> options;
};

struct ManualPage {
  ManualCommand command;
  std::vector<ManualCommand> parts;
  std::string examples;  // each line ends with a newline
  std::string exit_status;
  std::vector<std::string> see_also;  // names of section 1 pages
};

// `command` belongs to `app`, or is `app`; then the parts are all commands, without their options.
ManualPage ManualPageOf(const CLI::App& app, const CLI::App& command);

std::string ManualRoff(const ManualPage& page);
std::string ManualText(const ManualPage& page);

// "ringfence-run"
std::string ManualName(const ManualPage& page);

}  // namespace ringfence
