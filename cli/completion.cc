#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"

namespace ringfence {
namespace {

struct Word {
  std::string text;
  std::string what;
  std::string values = {};  // of an option: those that there are, with blanks between; "" for any
};

struct CommandWords {
  Word name;
  std::vector<Word> options;  // its own, and those of the commands below it
  std::vector<Word> below;    // "verify" of "log"
};

// CLI11 says them for people: "MODE:{sandbox,rx,rwx}".
std::string ValuesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{');
  if (begin == std::string::npos) return "";
  std::string values = type.substr(begin + 1, type.find('}', begin) - begin - 1);
  std::ranges::replace(values, ',', ' ');
  return values;
}

void AddOptions(const CLI::App& app, std::vector<Word>& words) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      Word word{"--" + name, option->get_description(), ValuesOf(*option)};
      if (std::ranges::find(words, word.text, &Word::text) == words.end()) {
        words.push_back(std::move(word));
      }
    }
  }
}

std::vector<CommandWords> WordsOf(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    CommandWords words{{command->get_name(), command->get_description()}, {}, {}};
    AddOptions(*command, words.options);
    for (const CLI::App* below : command->get_subcommands({})) {
      words.below.push_back({below->get_name(), below->get_description()});
      AddOptions(*below, words.options);
    }
    commands.push_back(std::move(words));
  }
  return commands;
}

// In single quotes, for the shells' own words.
std::string Quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string Joined(const std::vector<Word>& words) {
  std::string out;
  for (const Word& word : words) out += (out.empty() ? "" : " ") + word.text;
  return out;
}

// A case "COMMAND:OPTION) `before` VALUES `after` ;;" for each option that has them.
std::string ValueCases(const std::vector<CommandWords>& commands, const std::string& before,
                       const std::string& after) {
  std::string out;
  for (const CommandWords& command : commands) {
    for (const Word& option : command.options) {
      if (option.values.empty()) continue;
      out.append("    ").append(command.name.text).append(":").append(option.text);
      out.append(") ").append(before).append(option.values).append(after).append(" ;;\n");
    }
  }
  return out;
}

std::string Bash(const std::vector<CommandWords>& commands) {
  std::string names;
  std::string cases;
  std::string below;
  for (const CommandWords& command : commands) {
    names += (names.empty() ? "" : " ") + command.name.text;
    cases += "    " + command.name.text + ") words=" + Quoted(Joined(command.options)) + " ;;\n";
    if (command.below.empty()) continue;
    below += "    2:" + command.name.text + ":[!-]* | 2:" + command.name.text +
             ":) values=" + Quoted(Joined(command.below)) + " ;;\n";
  }
  return "_ringfence() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words='' values='' i\n"
         "  for ((i = 2; i < COMP_CWORD; ++i)); do\n"
         "    [[ ${COMP_WORDS[1]}:${COMP_WORDS[i]} == run:-- ]] || continue\n"
         "    if declare -F _command_offset > /dev/null; then _command_offset $((i + 1)); return; "
         "fi\n"
         "    if ((COMP_CWORD == i + 1)); then COMPREPLY=($(compgen -c -- \"$word\")); return; fi\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "    return\n"
         "  done\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then words=" +
         Quoted(names + " --help --version") +
         "; fi\n"
         "  case ${COMP_WORDS[1]}:${COMP_WORDS[COMP_CWORD - 1]} in\n" +
         ValueCases(commands, "values='", "'") +
         "  esac\n"
         "  case $COMP_CWORD:${COMP_WORDS[1]}:$word in\n" +
         below +
         "  esac\n"
         "  if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$word\")); "
         "return; fi\n"
         "  case $COMP_CWORD:$word in\n"
         "    1:* | *:-*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _ringfence ringfence\n";
}

// "name:what", the form of _describe.
std::string Described(const std::vector<Word>& words) {
  std::string out;
  for (const Word& word : words) out += " " + Quoted(word.text + ":" + word.what);
  return out;
}

std::string Zsh(const std::vector<CommandWords>& commands) {
  std::vector<Word> names;
  std::string cases;
  std::string below;
  for (const CommandWords& command : commands) {
    names.push_back(command.name);
    cases += "    " + command.name.text + ") options=(" + Described(command.options) + " ) ;;\n";
    if (command.below.empty()) continue;
    below += "    3:" + command.name.text + ") commands=(" + Described(command.below) +
             " ); [[ ${words[CURRENT]} == -* ]] || { _describe command commands; return } ;;\n";
  }
  return "#compdef ringfence\n"
         "_ringfence() {\n"
         "  local -a commands options\n"
         "  commands=(" +
         Described(names) +
         " )\n"
         "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
         "  local -i end=${words[(i)--]}\n"
         "  if [[ ${words[2]} == run ]] && (( end < CURRENT )); then\n"
         "    shift end words; (( CURRENT -= end )); _normal; return\n"
         "  fi\n"
         "  case ${words[2]}:${words[CURRENT-1]} in\n" +
         ValueCases(commands, "compadd -- ", "; return") +
         "  esac\n"
         "  case $CURRENT:${words[2]} in\n" +
         below +
         "  esac\n"
         "  case ${words[2]} in\n" +
         cases +
         "  esac\n"
         "  if [[ ${words[CURRENT]} == -* ]]; then _describe option options; else _files; fi\n"
         "}\n"
         "compdef _ringfence ringfence\n";
}

std::string Fish(const std::vector<CommandWords>& commands) {
  std::string out;
  for (const CommandWords& command : commands) {
    out += "complete -c ringfence -n __fish_use_subcommand -f -a " + command.name.text + " -d " +
           Quoted(command.name.what) + "\n";
    for (const Word& below : command.below) {
      out += "complete -c ringfence -n '__fish_seen_subcommand_from " + command.name.text +
             "' -f -a " + below.text + " -d " + Quoted(below.what) + "\n";
    }
    for (const Word& option : command.options) {
      out += "complete -c ringfence -n '__fish_seen_subcommand_from " + command.name.text +
             "' -l " + option.text.substr(2) +
             (option.values.empty() ? "" : " -x -a " + Quoted(option.values)) + " -d " +
             Quoted(option.what) + "\n";
    }
  }
  return out;
}

constexpr const char* kExamples =
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
      AddCommand(app, "completion", "Print what a shell completes commands by", kExamples);
  const auto shell = std::make_shared<std::string>();
  command.AddOption("shell", *shell, "bash, zsh or fish")
      .Required()
      .OneOf({"bash", "zsh", "fish"})
      .Type("SHELL");
  command.OnGiven([&all = app.app(), &chosen, shell] {
    chosen = [&all, shell] {
      const std::string script = CompletionScript(all, *shell);
      std::fwrite(script.data(), 1, script.size(), stdout);
      return Outcome();
    };
  });
}

}  // namespace ringfence
