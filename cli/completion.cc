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
  std::vector<Word> options;
  std::vector<CommandWords> below;  // "verify" of "log"
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
      words.push_back(std::move(word));
    }
  }
}

std::vector<CommandWords> WordsOf(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    CommandWords words{{command->get_name(), command->get_description()}, {}, WordsOf(*command)};
    AddOptions(*command, words.options);
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

std::vector<Word> NamesOf(const std::vector<CommandWords>& commands) {
  std::vector<Word> names;
  names.reserve(commands.size());
  for (const CommandWords& command : commands) names.push_back(command.name);
  return names;
}

// Of the command and of those below it, each once.
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
    for (const Word& option : AllOptions(command)) {
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
    for (const CommandWords& one : command.below) {
      cases += "    " + command.name.text + ":" + one.name.text +
               ") words=" + Quoted(Joined(one.options)) + " ;;\n";
    }
    cases += "    " + command.name.text + ":*) words=" + Quoted(Joined(command.options)) + " ;;\n";
    if (command.below.empty()) continue;
    below += "    2:" + command.name.text + ":[!-]* | 2:" + command.name.text +
             ":) values=" + Quoted(Joined(NamesOf(command.below))) + " ;;\n";
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
         "  case ${COMP_WORDS[1]}:${COMP_WORDS[2]} in\n" +
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
  std::string cases;
  std::string below;
  for (const CommandWords& command : commands) {
    for (const CommandWords& one : command.below) {
      cases += "    " + command.name.text + ":" + one.name.text + ") options=(" +
               Described(one.options) + " ) ;;\n";
    }
    cases += "    " + command.name.text + ":*) options=(" + Described(command.options) + " ) ;;\n";
    if (command.below.empty()) continue;
    below += "    3:" + command.name.text + ") commands=(" + Described(NamesOf(command.below)) +
             " ); [[ ${words[CURRENT]} == -* ]] || { _describe command commands; return } ;;\n";
  }
  return "#compdef ringfence\n"
         "_ringfence() {\n"
         "  local -a commands options\n"
         "  commands=(" +
         Described(NamesOf(commands)) +
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
         "  case ${words[2]}:${words[3]} in\n" +
         cases +
         "  esac\n"
         "  if [[ ${words[CURRENT]} == -* ]]; then _describe option options; else _files; fi\n"
         "}\n"
         "compdef _ringfence ringfence\n";
}

std::string FishOptions(const std::vector<Word>& options, const std::string& condition) {
  std::string out;
  for (const Word& option : options) {
    out += "complete -c ringfence -n '" + condition + "' -l " + option.text.substr(2) +
           (option.values.empty() ? "" : " -x -a " + Quoted(option.values)) + " -d " +
           Quoted(option.what) + "\n";
  }
  return out;
}

std::string Fish(const std::vector<CommandWords>& commands) {
  constexpr const char* kSeen = "__fish_seen_subcommand_from ";
  std::string out;
  for (const CommandWords& command : commands) {
    const std::string seen = kSeen + command.name.text;
    out += "complete -c ringfence -n __fish_use_subcommand -f -a " + command.name.text + " -d " +
           Quoted(command.name.what) + "\n";
    for (const CommandWords& below : command.below) {
      out += "complete -c ringfence -n '" + seen + "' -f -a " + below.name.text + " -d " +
             Quoted(below.name.what) + "\n";
      out += FishOptions(below.options, seen + "; and " + kSeen + below.name.text);
    }
    std::string alone = seen;
    if (!command.below.empty()) {
      alone.append("; and not ").append(kSeen).append(Joined(NamesOf(command.below)));
    }
    out += FishOptions(command.options, alone);
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
