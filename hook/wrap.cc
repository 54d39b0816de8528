#include "hook/wrap.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/path.h"
#include "base/text.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

constexpr size_t kMaxLine = 4096;  // length of the command prefix kept for recognizing the line

struct OptionWord {
  std::string_view name;
  std::string Registration::*of_registration = nullptr;  // exactly one of the two is set
  std::string Event::*of_event = nullptr;
};
constexpr OptionWord kOptionWords[] = {
    {"--home", &Registration::home},
    {"--other-home", &Registration::home_variable},
    {"--client-dir", &Registration::config_dir},
    {"--root", &Registration::root},
    {"--project", &Registration::project_dir},
    {"--policy", &Registration::policy},
    {"--profile", &Registration::profile},
    {"--session", nullptr, &Event::session_id},
    {"--agent", nullptr, &Event::agent_id},
    {"--agent-type", nullptr, &Event::agent_type},
    {"--permission-mode", nullptr, &Event::permission_mode},
};

constexpr std::string_view kLastWord = " --permission-mode ";

template <typename Registered, typename Called>
auto& WordValue(const OptionWord& word, Registered& registration, Called& event) {
  return word.of_event != nullptr ? event.*word.of_event : registration.*word.of_registration;
}

// True for characters that every shell takes as part of a plain word.
bool IsPlain(char c) {
  return IsAlnum(c) || std::string_view("_-./:=@+,").find(c) != std::string_view::npos;
}

// Encodes "/", too: the client takes a word that looks like a path outside the project for a path
// that the command reads.
std::string Encoded(std::string_view text) { return PercentEncoded(text, "_-."); }

}  // namespace

Result<std::string> WrapProgram(const Registration& registration) {
  const std::string& own =
      registration.program_real.empty() ? registration.program : registration.program_real;
  const std::optional<Path> program = Path::Parse(own);
  if (!program) return UsageError("", "ringfence's own directory is unknown");
  const std::string launcher = program->Parent().Child("ringfence").text();
  if (std::ranges::all_of(launcher, IsPlain)) return launcher;
  return UsageError("", "a shell would need quotes for " + Quote(launcher),
                    "Ask the user to install ringfence in a directory whose name has only letters, "
                    "digits and _./:=@+,- and to run ringfence init there.");
}

Result<std::string> WrapLine(const Registration& registration, const Event& event) {
  const Result<std::string> launcher = WrapProgram(registration);
  if (!launcher) return launcher.error();
  if (event.session_id.empty()) return UsageError("", "the event has no session id");
  std::string line = *launcher + " enter";
  for (const std::string& word : WrapWords(registration, event)) line += " " + word;
  line += kWrapEnd;
  if (line.size() > kMaxLine)
    return UsageError("", "the paths of the project and the policy are too long");
  return line;
}

std::vector<std::string> WrapWords(const Registration& registration, const Event& event) {
  std::vector<std::string> words;
  for (const OptionWord& word : kOptionWords) {
    const std::string& value = WordValue(word, registration, event);
    if (value.empty()) continue;
    words.emplace_back(word.name);
    words.push_back(Encoded(value));
  }
  return words;
}

Status ReadWrapWords(std::span<char* const> words, Registration& registration, Event& event) {
  for (size_t i = 0; i < words.size(); i += 2) {
    const auto* word =
        std::ranges::find(kOptionWords, std::string_view(words[i]), &OptionWord::name);
    if (word == std::end(kOptionWords) || i + 1 == words.size()) {
      return UsageError("", Quote(words[i]) + " is not an option with a value", "");
    }
    std::string& value = WordValue(*word, registration, event);
    if (!value.empty() || !DecodePercent(words[i + 1], &value) || value.empty()) {
      return UsageError("", std::string(word->name) + " has no value, or two", "");
    }
  }
  return Unit{};
}

bool HadLine(std::string_view command, std::string_view line) {
  const size_t last = std::min(line.find(kLastWord), line.size() - kWrapEnd.size());
  const std::string_view fixed = line.substr(0, last);
  if (!command.starts_with(fixed)) return false;
  command.remove_prefix(fixed.size());
  if (command.starts_with(kLastWord)) {
    command.remove_prefix(kLastWord.size());
    command.remove_prefix(std::min(command.size(), command.find_first_of("; \n")));
  }
  return command.starts_with(kWrapEnd);
}

std::string WrappedInput(const RawInput& input, std::string_view line) {
  const std::string quoted = JsonString(line);
  return input.text.substr(0, input.command) + quoted.substr(1, quoted.size() - 2) +
         input.text.substr(input.command);
}

}  // namespace ringfence
