#include "cli/command_line/manual_page.h"

#include <CLI/CLI.hpp>
#include <string_view>

namespace ringfence {
namespace {

// Returns CLI11's type name, "MODE:{sandbox,rx}", without the values.
std::string TypeOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::string ValuesText(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{');
  if (begin == std::string::npos) return "";
  return type.substr(begin + 1, type.find('}', begin) - begin - 1);
}

ManualOption OptionOf(const CLI::Option& option) {
  ManualOption entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  entry.what = option.get_description();
  entry.values = ValuesText(option);
  entry.is_required = option.get_required();
  if (entry.is_positional()) {
    entry.value = option.get_name();
    entry.is_repeated = option.get_items_expected_max() > 1;
  } else if (option.get_items_expected_max() > 0) {
    entry.value = TypeOf(option);
  }
  return entry;
}

ManualCommand ManualCommandOf(const std::string& name, const CLI::App& app) {
  ManualCommand command{name, app.get_description(), {}};
  for (const CLI::Option* option : app.get_options()) command.options.push_back(OptionOf(*option));
  return command;
}

constexpr std::string_view kExamplesTitle = "Examples:\n";
constexpr std::string_view kExitStatus = "Exit status: ";

// Splits the footer of --help into the examples and the exit status.
void AddFooter(std::string text, ManualPage& page) {
  if (text.starts_with(kExamplesTitle)) text.erase(0, kExamplesTitle.size());
  const size_t status = text.find(kExitStatus);
  page.examples = text.substr(0, status);
  while (page.examples.ends_with('\n')) page.examples.pop_back();
  page.examples += '\n';
  if (status != std::string::npos) page.exit_status = text.substr(status + kExitStatus.size());
}

}  // namespace

std::string ManualName(const ManualPage& page) {
  return page.command.name.empty() ? "ringfence" : "ringfence-" + page.command.name;
}

ManualPage ManualPageOf(const CLI::App& app, const CLI::App& command) {
  const bool is_program = &command == &app;
  const std::string name = is_program ? "" : command.get_name();
  ManualPage page;
  page.command = ManualCommandOf(name, command);
  for (const CLI::App* part : command.get_subcommands({})) {
    if (part->get_group().empty()) continue;  // hidden
    page.parts.push_back(is_program ? ManualCommand{part->get_name(), part->get_description(), {}}
                                    : ManualCommandOf(name + " " + part->get_name(), *part));
  }
  AddFooter(command.get_footer(), page);
  if (!is_program) page.see_also.emplace_back("ringfence");
  for (const CLI::App* other : app.get_subcommands({})) {
    if (other != &command) page.see_also.push_back("ringfence-" + other->get_name());
  }
  return page;
}

}  // namespace ringfence
