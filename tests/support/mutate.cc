#include "tests/support/mutate.h"

#include <cstdlib>

namespace ringfence {
namespace {

void ChangeOnce(std::string& text, std::span<const std::string_view> words, std::mt19937& random) {
  const size_t at = random() % (text.size() + 1);
  const size_t length = 1 + random() % 4;
  switch (random() % 5) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, words[random() % words.size()]);
      break;
    case 2:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << (random() % 8)));
      break;
    case 3:
      text.insert(random() % (text.size() + 1), text.substr(at, 8 * length));
      break;
    default:
      text.replace(at, length, words[random() % words.size()]);
  }
}

}  // namespace

uint32_t TestSeed() {
  const char* given = std::getenv("RINGFENCE_SEED");
  return given == nullptr ? 20250301u : static_cast<uint32_t>(std::strtoul(given, nullptr, 10));
}

std::string Mutate(std::string text, std::span<const std::string_view> words,
                   std::mt19937& random) {
  for (size_t n = 1 + random() % 4; n > 0; --n) ChangeOnce(text, words, random);
  return text;
}

}  // namespace ringfence
