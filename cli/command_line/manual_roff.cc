// Manual pages in mdoc(7).
#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "cli/command_line/manual_page.h"

namespace ringfence {
namespace {

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

}  // namespace

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

}  // namespace ringfence
