#include "cli/command_line/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/command_line/command.h"
#include "cli/command_line/options.h"
#include "cli/command_line/usage.h"
#include "cli/common/policies.h"

namespace ringfence {
namespace {

// Values that the option does not list: profiles, which the program prints, or command names.
enum class Asked { kNothing, kProfiles, kCommands };

struct Word {
  std::string text;
  std::string what;
  std::string values = {};  // accepted values, separated by blanks; "" for any
  Asked asked = Asked::kNothing;
  bool takes_value = false;
  bool takes_several = false;
};

struct CommandWords {
  Word name;
  std::vector<Word> options;
  Word argument;                    // its positional argument
  std::vector<CommandWords> below;  // subcommands, such as "verify" of "log"
};

// Returns the values that the option lists, separated by blanks.
std::string SpacedValues(const CLI::Option& option) {
  std::string values = ValuesOf(option);
  std::ranges::replace(values, ',', ' ');
  return values;
}

Asked AskedOf(const CLI::App& app, const CLI::Option& option, const std::string& name) {
  if (name == "profile" || option.get_type_name() == "PROFILE") return Asked::kProfiles;
  const bool takes_command = app.get_name() == "help" || app.get_name() == "manual";
  return takes_command && option.get_positional() ? Asked::kCommands : Asked::kNothing;
}

void AddOptions(const CLI::App& app, CommandWords& words) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words.options.push_back({"--" + name, option->get_description(), SpacedValues(*option),
                               AskedOf(app, *option, name), option->get_items_expected_max() > 0});
    }
    const bool is_first = option->get_positional() && words.argument.text.empty();
    if (is_first) {
      words.argument = {option->get_name(), "", SpacedValues(*option), AskedOf(app, *option, "")};
      words.argument.takes_several = option->get_items_expected_max() > 1;
    }
  }
}

std::vector<CommandWords> WordsOf(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* command : ShownCommands(app)) {
    CommandWords words{
        {command->get_name(), command->get_description()}, {}, {}, WordsOf(*command)};
    AddOptions(*command, words);
    commands.push_back(std::move(words));
  }
  return commands;
}

std::vector<Word> NamesOf(const std::vector<CommandWords>& commands) {
  std::vector<Word> names;
  names.reserve(commands.size());
  for (const CommandWords& command : commands) names.push_back(command.name);
  return names;
}

// Returns the options of the command and its subcommands, without duplicates.
std::vector<Word> AllOptions(const CommandWords& command) {
  std::vector<Word> all = command.options;
  for (const CommandWords& below : command.below) {
    for (const Word& option : below.options) {
      const bool is_known = std::ranges::find(all, option.text, &Word::text) != all.end();
      if (!is_known) all.push_back(option);
    }
  }
  return all;
}

std::string InOneLine(const std::vector<Word>& words) {
  std::string out;
  for (const Word& word : words) out += (out.empty() ? "" : " ") + word.text;
  return out;
}

// Returns shell text that yields the values of a word; "" if it takes any value.
std::string ValuesFor(const Word& word, const std::string& commands) {
  if (word.asked == Asked::kCommands) return commands;
  return word.asked == Asked::kProfiles ? "$(ringfence completion --profiles 2> /dev/null)"
                                        : word.values;
}

// Shell text around a list of values, and for a file argument.
struct CaseText {
  std::string before;
  std::string after;
  std::string file;
};

// Returns a case "COMMAND:OPTION) `before` VALUES `after` ;;" for each option with known values. If
// the arguments of a command have known values, its other options that take a value get a case for
// files.
std::string ValueCases(const std::vector<CommandWords>& commands, const CaseText& text) {
  std::string out;
  for (const CommandWords& command : commands) {
    const bool has_arguments = !ValuesFor(command.argument, "commands").empty();
    for (const Word& option : AllOptions(command)) {
      const std::string values = ValuesFor(option, "");
      if (values.empty() && !(has_arguments && option.takes_value)) continue;
      out.append("    ").append(command.name.text).append(":").append(option.text).append(") ");
      out.append(values.empty() ? text.file : text.before + values + text.after).append(" ;;\n");
    }
  }
  return out;
}

// The same for each command whose arguments have known values: "COMMAND:[!-]* | COMMAND:)".
std::string ArgumentCases(const std::vector<CommandWords>& commands, const std::string& before,
                          const std::string& after) {
  const std::string names = InOneLine(NamesOf(commands));
  std::string out;
  for (const CommandWords& command : commands) {
    const std::string values = ValuesFor(command.argument, names);
    if (values.empty()) continue;
    const std::string& name = command.name.text;
    out.append("    ").append(name).append(":[!-]* | ").append(name).append(":) ");
    out.append(before).append(values).append(after).append(" ;;\n");
  }
  return out;
}

// Returns cases for the words after the first argument of a command that takes commands:
// subcommands ("help log verify"), or nothing. They match "POSITION:COMMAND:FIRST"; `first` is the
// position of the first argument.
std::string NestedCases(const std::vector<CommandWords>& commands, int first,
                        const CaseText& text) {
  std::string out;
  for (const CommandWords& command : commands) {
    if (command.argument.asked != Asked::kCommands) continue;
    const std::string name = ":" + command.name.text + ":";
    for (const CommandWords& given : commands) {
      if (given.below.empty() || !command.argument.takes_several) continue;
      out += "    " + std::to_string(first + 1) + name + given.name.text + ") " + text.before +
             InOneLine(NamesOf(given.below)) + text.after + " ;;\n";
    }
    out.append("    ").append(std::to_string(first)).append(name).append("*) ;;\n    *");
    out.append(name).append("*) ").append(text.file).append(" ;;\n");
  }
  return out;
}

// Returns the bash script. The output of `ringfence completion --profiles` is safe to expand: names
// have only letters, digits and "._-".
std::string Bash(const std::vector<CommandWords>& commands) {
  std::string cases;
  std::string below;
  for (const CommandWords& command : commands) {
    for (const CommandWords& one : command.below) {
      cases += "    " + command.name.text + ":" + one.name.text +
               ") words=" + ShellQuoted(InOneLine(one.options)) + " ;;\n";
    }
    cases += "    " + command.name.text + ":*) words=" + ShellQuoted(InOneLine(command.options)) +
             " ;;\n";
    if (command.below.empty()) continue;
    below += "    2:" + command.name.text + ":[!-]* | 2:" + command.name.text +
             ":) values=" + ShellQuoted(InOneLine(NamesOf(command.below))) + " ;;\n";
  }
  return R"sh(_ringfence() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words='' values='' i
  if [[ $word == = ]]; then word=''; fi
  if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 2; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[1]}:${COMP_WORDS[i]} == run:-- ]] || continue
    if declare -F _command_offset > /dev/null; then _command_offset $((i + 1)); return; fi
    if ((COMP_CWORD == i + 1)); then COMPREPLY=($(compgen -c -- "$word")); return; fi
    COMPREPLY=($(compgen -f -- "$word"))
    return
  done
  case ${COMP_WORDS[1]}:${COMP_WORDS[2]} in
)sh" + cases +
         "  esac\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then words=" +
         ShellQuoted(InOneLine(NamesOf(commands)) + " --help --version") +
         "; fi\n"
         "  case ${COMP_WORDS[1]}:$word in\n" +
         ArgumentCases(commands, "((COMP_CWORD < 2)) || values=\"", "\"") +
         "  esac\n"
         "  case $COMP_CWORD:${COMP_WORDS[1]}:${COMP_WORDS[2]} in\n" +
         NestedCases(commands, 2, {"values='", "'", "COMPREPLY=(); return"}) +
         "  esac\n"
         "  case ${COMP_WORDS[1]}:$before in\n" +
         ValueCases(commands, {"values=\"", "\"", "values=''"}) +
         "  esac\n"
         "  case $COMP_CWORD:${COMP_WORDS[1]}:$word in\n" +
         below + R"sh(  esac
  if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$word")); return; fi
  case $COMP_CWORD:$word in
    1:* | *:-*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _ringfence ringfence
)sh";
}

// Returns "name:what" for each word, the format of zsh's _describe.
std::string Descriptions(const std::vector<Word>& words) {
  std::string out;
  for (const Word& word : words) out += " " + ShellQuoted(word.text + ":" + word.what);
  return out;
}

std::string Zsh(const std::vector<CommandWords>& commands) {
  std::string cases;
  std::string below;
  for (const CommandWords& command : commands) {
    for (const CommandWords& one : command.below) {
      cases += "    " + command.name.text + ":" + one.name.text + ") options=(" +
               Descriptions(one.options) + " ) ;;\n";
    }
    cases +=
        "    " + command.name.text + ":*) options=(" + Descriptions(command.options) + " ) ;;\n";
    if (command.below.empty()) continue;
    below += "    3:" + command.name.text + ") commands=(" + Descriptions(NamesOf(command.below)) +
             " ); [[ ${words[CURRENT]} == -* ]] || { _describe command commands; return } ;;\n";
  }
  return "#compdef ringfence\n"
         "_ringfence() {\n"
         "  local -a commands options\n"
         "  commands=(" +
         Descriptions(NamesOf(commands)) + R"sh( )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local -i end=${words[(i)--]}
  if [[ ${words[2]} == run ]] && (( end < CURRENT )); then
    shift end words; (( CURRENT -= end )); _normal; return
  fi
  local before=${words[CURRENT-1]}
  if [[ ${words[CURRENT]} == --*=* ]]; then before=${words[CURRENT]%%=*}; compset -P '*='; fi
  case ${words[2]}:$before in
)sh" + ValueCases(commands, {"compadd -- ", "; return", "_files; return"}) +
         "  esac\n"
         "  case $CURRENT:${words[2]} in\n" +
         below +
         "  esac\n"
         "  case $CURRENT:${words[2]}:${words[3]} in\n" +
         NestedCases(commands, 3, {"compadd -- ", "; return", "return"}) +
         "  esac\n"
         "  case ${words[2]}:${words[CURRENT]} in\n" +
         ArgumentCases(commands, "compadd -- ", "; return") +
         "  esac\n"
         "  case ${words[2]}:${words[3]} in\n" +
         cases +
         "  esac\n"
         "  if [[ ${words[CURRENT]} == -* ]]; then _describe option options; else _files; fi\n"
         "}\n"
         "compdef _ringfence ringfence\n";
}

// In fish, a command in parentheses yields one value per line of output.
std::string FishValues(const Word& word, const std::string& commands) {
  if (word.asked == Asked::kProfiles) return "'(ringfence completion --profiles 2> /dev/null)'";
  return ShellQuoted(ValuesFor(word, commands));
}

std::string FishOptions(const std::vector<Word>& options, const std::string& condition) {
  std::string out;
  for (const Word& option : options) {
    const std::string values = FishValues(option, "");
    out += "complete -c ringfence -n '" + condition + "' -l " + option.text.substr(2) +
           (values == "''" ? "" : " -x -a " + values) + " -d " + ShellQuoted(option.what) + "\n";
  }
  return out;
}

std::string Fish(const std::vector<CommandWords>& commands) {
  constexpr const char* kSeen = "__fish_seen_subcommand_from ";
  const std::string names = InOneLine(NamesOf(commands));
  std::string out;
  for (const CommandWords& command : commands) {
    const std::string seen = kSeen + command.name.text;
    out += "complete -c ringfence -n __fish_use_subcommand -f -a " + command.name.text + " -d " +
           ShellQuoted(command.name.what) + "\n";
    for (const CommandWords& below : command.below) {
      out += "complete -c ringfence -n '" + seen + "' -f -a " + below.name.text + " -d " +
             ShellQuoted(below.name.what) + "\n";
      std::string given = seen;
      given.append("; and ").append(kSeen).append(below.name.text);
      out += FishOptions(below.options, given);
    }
    const std::string values = FishValues(command.argument, names);
    if (values != "''") {
      std::string first = seen;
      if (command.argument.asked == Asked::kCommands) {
        first.append("; and test (count (commandline -opc)) -eq 2");
      }
      out.append("complete -c ringfence -n '").append(first).append("' -f -a ");
      out.append(values).append("\n");
    }
    std::string alone = seen;
    if (!command.below.empty()) {
      alone.append("; and not ").append(kSeen).append(InOneLine(NamesOf(command.below)));
    }
    out += FishOptions(command.options, alone);
  }
  return out;
}

// True if every shell takes `name` as one plain word: a project's policy can choose the names.
bool IsPlainShellWord(std::string_view name) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !name.empty() && name[0] != '-' && name.find_first_not_of(kPlain) == std::string::npos;
}

// Prints the profiles of the policies in force in the current directory, one per line.
Outcome PrintProfiles() {
  Result<Registration> where = FindRegistration("", "");
  if (!where) return where.error();
  BorrowedProject borrowed;
  const Result<Context> policies = borrowed.Find(*where);
  if (!policies) return policies.error();
  std::string text;
  for (const std::string_view name : ProfilesIn(policies->sources)) {
    if (IsPlainShellWord(name)) text.append(name).append("\n");
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

constexpr const char* kCompletionExamples =
    "  ringfence completion bash > ~/.local/share/bash-completion/completions/ringfence\n"
    "  ringfence completion zsh > ~/.zfunc/_ringfence\n"
    "  ringfence completion fish > ~/.config/fish/completions/ringfence.fish";

}  // namespace

std::string CompletionScript(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandWords> commands = WordsOf(app);
  if (shell == "bash") return Bash(commands);
  return shell == "zsh" ? Zsh(commands) : Fish(commands);
}

void AddCompletion(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "completion", "Print a shell's completion script", kCompletionExamples);
  const auto shell = std::make_shared<std::string>();
  command.AddOption("shell SHELL", *shell, "The shell").OneOf({"bash", "zsh", "fish"});
  const auto profiles = std::make_shared<bool>(false);
  command.AddFlag("--profiles", *profiles,
                  "Print the names of profiles instead, which the scripts offer after --profile");
  command.OnGiven([&all = app.app(), &chosen, shell, profiles] {
    chosen = [&all, shell, profiles]() -> Outcome {
      if (*profiles) return PrintProfiles();
      if (shell->empty()) return UsageError("", "no shell given", "name one: bash, zsh or fish");
      const std::string script = CompletionScript(all, *shell);
      std::fwrite(script.data(), 1, script.size(), stdout);
      return 0;
    };
  });
}

}  // namespace ringfence
