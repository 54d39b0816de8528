// Manual pages as plain text for 80 columns.
#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "cli/command_line/manual_page.h"

namespace ringfence {
namespace {

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
    if (!option.names.empty() && option.names.back() == "--help") continue;
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
