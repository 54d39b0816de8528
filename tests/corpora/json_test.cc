// nst/JSONTestSuite: files y_ must be accepted, n_ refused, i_ may be either. Each is tested as a
// document, as a policy file, and as an event and its arguments.
#include <doctest/doctest.h>

#include <algorithm>

#include "agents/claude/event_reader.h"
#include "tests/support/corpora.h"
#include "tests/support/json_oracle.h"
#include "tests/support/loaded.h"
#include "tests/support/scan_text.h"

using namespace ringfence;

namespace {

// Valid JSON that the scanner refuses on purpose: two members of one name can be read in two ways,
// and a C string reader truncates a key with NUL.
constexpr std::string_view kRefused[] = {"y_object_duplicated_key.json",
                                         "y_object_duplicated_key_and_value.json",
                                         "y_object_escaped_null_in_key.json"};

// The scanner's choice for i_ files: it accepts numbers of any size and escaped lone surrogates,
// and refuses invalid UTF-8, a byte order mark and deep nesting.
constexpr std::string_view kAcceptedChoices[] = {"i_number_",
                                                 "i_object_key_lone_2nd_surrogate",
                                                 "i_string_1st_",
                                                 "i_string_incomplete_surrogate",
                                                 "i_string_invalid_lonely_surrogate",
                                                 "i_string_invalid_surrogate",
                                                 "i_string_inverted_surrogates_U+1D11E",
                                                 "i_string_lone_second_surrogate"};

std::vector<NamedText> Suite(const std::string& folder) {
  std::vector<NamedText> files = ReadFolder(folder + "/json-test-suite/test_parsing");
  REQUIRE(files.size() > 300);
  return files;
}

bool IsChoiceAccepted(std::string_view name) {
  return std::ranges::any_of(kAcceptedChoices,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

bool ShouldBeAccepted(std::string_view name) {
  if (name.starts_with("i_")) return IsChoiceAccepted(name);
  return name.starts_with("y_") && std::ranges::find(kRefused, name) == std::end(kRefused);
}

Result<Event> Read(std::string_view text) {
  TextSource source(text);
  return ReadEvent(source, {});
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() &&
         std::string_view(" \t\r\n").find(text.front()) != std::string_view::npos) {
    text.remove_prefix(1);
  }
  return text;
}

}  // namespace

TEST_CASE("corpora: the JSON test suite as documents") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  for (const NamedText& file : Suite(folder)) {
    CAPTURE(file.name);
    CHECK(IsAccepted(file.text) == ShouldBeAccepted(file.name));
    CHECK(Disagreement(file.text).empty());
    CHECK(Scan(file.text) == Scan(file.text, {}, {.piece = 1}));
  }
}

TEST_CASE("corpora: legal but ambiguous JSON is refused only for duplicate keys") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  for (const NamedText& file : ReadFolder(folder + "/json-test-suite/test_transform")) {
    CAPTURE(file.name);
    // "invalid code point" without "escaped": the file has the surrogates as bytes.
    const bool duplicate = file.name.starts_with("object_same_key");
    const bool bytes = file.name.find("_invalid_codepoint") != std::string::npos &&
                       file.name.find("escaped") == std::string::npos;
    const bool nul_in_key = file.text.find("\\u0000\":") != std::string::npos;
    CHECK(IsAccepted(file.text) == !(duplicate || bytes || nul_in_key));
    CHECK(Disagreement(file.text).empty());
  }
}

TEST_CASE("corpora: no file of the JSON test suite is a policy") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  for (const NamedText& file : Suite(folder)) {
    CAPTURE(file.name);
    const Loaded loaded = Load(file.text);
    CHECK(loaded.file == nullptr);
    CHECK_FALSE(loaded.mistakes.empty());
    for (const Error& mistake : loaded.mistakes) {
      CHECK(mistake.where.starts_with("policy.json:"));
      CHECK(mistake.text().find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("corpora: no file of the JSON test suite is an event") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  for (const NamedText& file : Suite(folder)) {
    CAPTURE(file.name);
    CHECK_FALSE(Read(file.text));
  }
}

TEST_CASE("corpora: the JSON test suite as the arguments of a tool") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  const std::string before =
      R"({"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Read","tool_input":)";
  for (const NamedText& file : Suite(folder)) {
    CAPTURE(file.name);
    // A file whose only error is a missing end can be valid before "}".
    const std::string text = before + file.text + "}";
    CHECK(Read(text).has_value() == (IsAccepted(text) && Trimmed(file.text).starts_with('{')));
    if (file.name.starts_with("n_") && !IsAccepted(file.text)) CHECK_FALSE(Read(text));
    const std::string inside = before + R"({"file_path":"/w/a","x":)" + file.text + "}}";
    CHECK(Read(inside).has_value() == IsAccepted(inside));
  }
}
