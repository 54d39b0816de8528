#include "cli/command_line/manual_page.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "base/text.h"
#include "cli/command_line/command.h"
#include "cli/command_line/usage.h"

namespace ringfence {
namespace {

// Returns CLI11's type name, "MODE:{sandbox,rx}", without the values.
std::string TypeOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

ManualOption OptionOf(const CLI::Option& option) {
  ManualOption entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  entry.what = option.get_description();
  entry.values = ValuesOf(option);
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

// mdoc(7).

// Escapes text, so that nothing in it is a macro or an escape sequence.
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

// Protects a word on a macro line, where it could be called as a macro.
std::string RoffWord(const std::string& text) { return " \\&" + Escaped(text); }

std::string RoffFlags(const ManualOption& option) {
  std::string line;
  for (const std::string& name : option.names) {
    if (!line.empty()) line += " ,";
    line += name.starts_with("--") ? " Fl " + Escaped(name.substr(1))
                                   : " Fl" + RoffWord(name.substr(1));
  }
  return option.value.empty() ? line : line + " Ar" + RoffWord(option.value);
}

bool IsHelp(const ManualOption& option) {
  return !option.names.empty() && option.names.back() == "--help";
}

std::string RoffSynopsis(const ManualCommand& command) {
  std::string out = ".Nm ringfence\n";
  if (!command.name.empty()) out += ".Cm " + Escaped(command.name) + "\n";
  for (const ManualOption& option : command.options) {
    if (IsHelp(option) || option.is_positional()) continue;
    out += (option.is_required ? "." : ".Op") + RoffFlags(option) + "\n";
  }
  for (const ManualOption& option : command.options) {
    if (!option.is_positional()) continue;
    out += (option.is_required ? ".Ar" : ".Op Ar") + RoffWord(option.value) +
           (option.is_repeated ? " ..." : "") + "\n";
  }
  return out;
}

std::string RoffOptions(const ManualCommand& command) {
  if (command.options.empty()) return "";
  std::string out = ".Bl -tag -width Ds\n";
  for (const ManualOption& option : command.options) {
    out += option.is_positional() ? ".It Ar" + RoffWord(option.value) : ".It" + RoffFlags(option);
    out += "\n" + Escaped(option.what) + ".\n";
    if (!option.values.empty()) out += "One of: " + Escaped(option.values) + ".\n";
  }
  return out + ".El\n";
}

std::string UpperAscii(std::string text) {
  std::ranges::transform(text, text.begin(), ToUpper<char>);
  return text;
}

// Plain text for 80 columns.

constexpr size_t kWidth = 78;
constexpr size_t kIndent = 5;

// Fills `words` into lines that begin with `indent` blanks; the first line begins with `first`.
std::string Filled(const std::vector<std::string>& words, size_t first, size_t indent) {
  std::string out;
  std::string line(first, ' ');
  bool is_empty = true;
  for (const std::string& word : words) {
    if (!is_empty && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line.assign(indent, ' ');
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
  }
  return out + line + "\n";
}

std::string Paragraph(std::string_view text, size_t indent) {
  return Filled(SplitWords(text), indent, indent);
}

std::string PlainFlags(const ManualOption& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + name;
  if (option.value.empty()) return text;
  return text.empty() ? option.value : text + " " + option.value;
}

std::string PlainSynopsis(const ManualCommand& command) {
  std::string line = "ringfence";
  if (!command.name.empty()) line += " " + command.name;
  std::vector<std::string> words{line};
  std::vector<std::string> last;
  for (const ManualOption& option : command.options) {
    if (IsHelp(option)) continue;
    std::string word = option.is_positional()
                           ? option.value
                           : option.names.back() + (option.value.empty() ? "" : " " + option.value);
    if (!option.is_required) word.insert(0, "[").append("]");
    if (option.is_repeated) word += " ...";
    (option.is_positional() ? last : words).push_back(std::move(word));
  }
  words.insert(words.end(), last.begin(), last.end());
  return Filled(words, kIndent, kIndent + 2 + line.size() - std::min<size_t>(line.size(), 10));
}

std::string PlainOptions(const ManualCommand& command) {
  std::string out;
  for (const ManualOption& option : command.options) {
    out += "\n" + std::string(kIndent, ' ') + PlainFlags(option) + "\n";
    std::string what = option.what + ".";
    if (!option.values.empty()) what += " One of: " + option.values + ".";
    out += Paragraph(what, kIndent + 4);
  }
  return out;
}

std::string Section(std::string_view title, const std::string& text) {
  return "\n" + std::string(title) + "\n" + text;
}

std::string Indented(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const std::string_view line = TakeUntil(lines, '\n');
    out += (line.empty() ? "" : std::string(kIndent - 2, ' ')) + std::string(line) + "\n";
  }
  return out;
}

std::string Commands(const ManualPage& page) {
  std::string out;
  for (const ManualCommand& part : page.parts) {
    out += "\n" + std::string(kIndent, ' ') + part.name + "\n" +
           Paragraph(part.what + ".", kIndent + 4) + PlainOptions(part);
  }
  return out;
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
  for (const CLI::App* part : ShownCommands(command)) {
    if (part->get_group().empty()) continue;  // hidden
    page.parts.push_back(is_program ? ManualCommand{part->get_name(), part->get_description(), {}}
                                    : ManualCommandOf(name + " " + part->get_name(), *part));
  }
  AddFooter(command.get_footer(), page);
  if (!is_program) page.see_also.emplace_back("ringfence");
  for (const CLI::App* other : ShownCommands(app)) {
    if (other != &command) page.see_also.push_back("ringfence-" + other->get_name());
  }
  return page;
}

std::string ManualRoff(const ManualPage& page) {
  const std::string name = ManualName(page);
  const ManualCommand& command = page.command;
  std::string out = ".Dd $Mdocdate$\n.Dt " + UpperAscii(name) +
                    " 1\n.Os ringfence\n.Sh NAME\n.Nm " + name + "\n.Nd " + Escaped(command.what) +
                    "\n.Sh SYNOPSIS\n" + RoffSynopsis(command);
  for (const ManualCommand& part : page.parts) {
    if (!part.options.empty()) out += RoffSynopsis(part);
  }
  out += ".Sh DESCRIPTION\n" + Escaped(command.what) + ".\n" + RoffOptions(command);
  for (const ManualCommand& part : page.parts) {
    out += ".Ss " + Escaped(part.name) + "\n" + Escaped(part.what) + ".\n" + RoffOptions(part);
  }
  out += ".Sh EXAMPLES\n.Bd -literal\n" + Escaped(page.examples) + ".Ed\n";
  if (!page.exit_status.empty()) out += ".Sh EXIT STATUS\n" + Escaped(page.exit_status) + "\n";
  out += ".Sh SEE ALSO\n";
  for (const std::string& other : page.see_also) out += ".Xr " + other + " 1 ,\n";
  return out + ".Xr ringfence-policy 5\n";
}

std::string ManualText(const ManualPage& page) {
  const ManualCommand& command = page.command;
  std::string synopsis = PlainSynopsis(command);
  for (const ManualCommand& part : page.parts) {
    if (!part.options.empty()) synopsis += PlainSynopsis(part);
  }
  std::vector<std::string> others;
  for (const std::string& other : page.see_also) others.push_back(other + "(1),");
  others.emplace_back("ringfence-policy(5)");
  std::string out = "NAME\n" + Paragraph(ManualName(page) + " - " + command.what, kIndent);
  out += Section("SYNOPSIS", synopsis);
  out += Section("OPTIONS", PlainOptions(command).substr(1));
  if (!page.parts.empty()) out += Section("COMMANDS", Commands(page).substr(1));
  out += Section("EXAMPLES", Indented(page.examples));
  if (!page.exit_status.empty()) {
    out += Section("EXIT STATUS", Paragraph(page.exit_status, kIndent));
  }
  return out + Section("SEE ALSO", Filled(others, kIndent, kIndent));
}

}  // namespace ringfence
