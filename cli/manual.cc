#include "cli/manual.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/text.h"

namespace ringfence {
namespace {

// Text in which nothing is a macro or an escape.
std::string Escaped(std::string_view text) {
  std::string out;
  bool at_beginning = true;
  for (const char c : text) {
    if (at_beginning && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? "\\e" : std::string(1, c);
    at_beginning = c == '\n';
  }
  return out;
}

// A word on a macro's line, which may be called as one.
std::string Word(const std::string& text) { return " \\&" + Escaped(text); }

// CLI11's "MODE:{sandbox,rx}" without what there is to choose from.
std::string TypeOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::string ValuesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{');
  if (begin == std::string::npos) return "";
  return type.substr(begin + 1, type.find('}', begin) - begin - 1);
}

bool IsPositional(const CLI::Option& option) {
  return option.get_lnames().empty() && option.get_snames().empty();
}

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string Flags(const CLI::Option& option) {
  std::string line;
  for (const std::string& name : option.get_snames()) line += " Fl" + Word(name) + " ,";
  for (const std::string& name : option.get_lnames()) line += " Fl -" + Escaped(name);
  if (TakesValue(option)) line += " Ar" + Word(TypeOf(option));
  return line;
}

std::string Synopsis(const std::string& name, const CLI::App& command) {
  std::string out = ".Nm ringfence\n.Cm " + Escaped(name) + "\n";
  for (const CLI::Option* option : command.get_options()) {
    const bool is_help = !option->get_snames().empty() && option->get_snames()[0] == "h";
    if (is_help || IsPositional(*option)) continue;
    out += (option->get_required() ? "." : ".Op") + Flags(*option) + "\n";
  }
  for (const CLI::Option* option : command.get_options()) {
    if (!IsPositional(*option)) continue;
    const std::string more = option->get_items_expected_max() > 1 ? " ..." : "";
    out += (option->get_required() ? ".Ar" : ".Op Ar") + Word(option->get_name()) + more + "\n";
  }
  return out;
}

std::string Options(const CLI::App& command) {
  std::string out = ".Bl -tag -width Ds\n";
  for (const CLI::Option* option : command.get_options()) {
    out += IsPositional(*option) ? ".It Ar" + Word(option->get_name()) : ".It" + Flags(*option);
    out += "\n" + Escaped(option->get_description()) + ".\n";
    const std::string values = ValuesOf(*option);
    if (!values.empty()) out += "One of: " + Escaped(values) + ".\n";
  }
  return out + ".El\n";
}

constexpr std::string_view kExitStatus = "Exit status: ";

// The footer: examples, and what follows them.
std::string Footer(const CLI::App& command) {
  std::string text = command.get_footer();
  constexpr std::string_view kExamples = "Examples:\n";
  if (text.starts_with(kExamples)) text.erase(0, kExamples.size());
  const size_t status = text.find(kExitStatus);
  const std::string examples = text.substr(0, status);
  std::string out = ".Sh EXAMPLES\n.Bd -literal\n" + Escaped(examples);
  if (!examples.ends_with('\n')) out += "\n";
  out += ".Ed\n";
  if (status != std::string::npos) {
    out += ".Sh EXIT STATUS\n" + Escaped(text.substr(status + kExitStatus.size())) + "\n";
  }
  return out;
}

std::string Title(const std::string& name) {
  std::string title = "RINGFENCE-" + name;
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return title;
}

}  // namespace

std::string ManualPage(const CLI::App& app, const CLI::App& command) {
  const std::string name = command.get_name();
  std::string out =
      ".Dd $Mdocdate$\n.Dt " + Title(name) + " 1\n.Os ringfence\n.Sh NAME\n.Nm ringfence-" + name +
      "\n.Nd " + Escaped(command.get_description()) + "\n.Sh SYNOPSIS\n" + Synopsis(name, command);
  const auto parts = command.get_subcommands({});
  for (const CLI::App* part : parts) out += Synopsis(name + " " + part->get_name(), *part);
  out += ".Sh DESCRIPTION\n" + Escaped(command.get_description()) + ".\n" + Options(command);
  for (const CLI::App* part : parts) {
    out += ".Ss " + Escaped(part->get_name()) + "\n" + Escaped(part->get_description()) + ".\n" +
           Options(*part);
  }
  out += Footer(command) + ".Sh SEE ALSO\n.Xr ringfence 1";
  for (const CLI::App* other : app.get_subcommands({})) {
    if (other != &command) out += " ,\n.Xr ringfence-" + other->get_name() + " 1";
  }
  return out + " ,\n.Xr ringfence-policy 5\n";
}

void AddManual(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "manual", "Print the manual page of a command",
                 "  ringfence manual run | man -l -\n"
                 "  ringfence manual audit > ~/.local/share/man/man1/ringfence-audit.1");
  const auto name = std::make_shared<std::string>();
  command.AddOption("command", *name, "The command").Required().Type("COMMAND");
  command.OnGiven([&all = app.app(), &chosen, name] {
    chosen = [&all, name]() -> Outcome {
      const auto commands = all.get_subcommands({});
      const auto found =
          std::ranges::find(commands, *name, [](const CLI::App* one) { return one->get_name(); });
      if (found == commands.end()) {
        return Error{Error::Kind::kUsage, "", Quote(*name) + " is not a command",
                     "see: ringfence --help"};
      }
      const std::string page = ManualPage(all, **found);
      std::fwrite(page.data(), 1, page.size(), stdout);
      return 0;
    };
  });
}

}  // namespace ringfence
