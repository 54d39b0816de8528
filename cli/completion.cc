#include "cli/completion.h"

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
};

struct CommandWords {
  Word name;
  std::vector<Word> options;
};

void AddOptions(const CLI::App& app, std::vector<Word>& words) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words.push_back({"--" + name, option->get_description()});
    }
  }
}

std::vector<CommandWords> WordsOf(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    CommandWords words{{command->get_name(), command->get_description()}, {}};
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

std::string Joined(const std::vector<Word>& words) {
  std::string out;
  for (const Word& word : words) out += (out.empty() ? "" : " ") + word.text;
  return out;
}

std::string Bash(const std::vector<CommandWords>& commands) {
  std::string names;
  std::string cases;
  for (const CommandWords& command : commands) {
    names += (names.empty() ? "" : " ") + command.name.text;
    cases += "    " + command.name.text + ") words=" + Quoted(Joined(command.options)) + " ;;\n";
  }
  return "_ringfence() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} words=''\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then words=" +
         Quoted(names + " --help --version") +
         "; fi\n"
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
  for (const CommandWords& command : commands) {
    names.push_back(command.name);
    cases += "    " + command.name.text + ") options=(" + Described(command.options) + " ) ;;\n";
  }
  return "#compdef ringfence\n"
         "_ringfence() {\n"
         "  local -a commands options\n"
         "  commands=(" +
         Described(names) +
         " )\n"
         "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
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
    for (const Word& option : command.options) {
      out += "complete -c ringfence -n '__fish_seen_subcommand_from " + command.name.text +
             "' -l " + option.text.substr(2) + " -d " + Quoted(option.what) + "\n";
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

void AddCompletion(CLI::App& app, Action& chosen) {
  CLI::App* command =
      AddCommand(app, "completion", "Print what a shell completes commands by", kExamples);
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  command->callback([&app, &chosen, shell] {
    chosen = [&app, shell] {
      const std::string script = CompletionScript(app, *shell);
      std::fwrite(script.data(), 1, script.size(), stdout);
      return Outcome();
    };
  });
}

}  // namespace ringfence
