// InputReader reads tool_input: of a built-in tool the arguments that may matter, of an MCP tool
// every string that may be a path or a URL. Everything else is checked as JSON and skipped.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/event_reader.h"
#include "agents/claude/value_sieve.h"
#include "base/json_scanner.h"
#include "policy/event.h"

namespace ringfence {

// Whether the decision may want to see the value of `key`, under any tool. `key` as it came.
bool MayMatter(std::string_view key);

class InputReader {
 public:
  // All three outlive this. What is kept is added to `event.input`. `event.raw_input`, if it has a
  // value, is told where "command" is: a byte of the whole document.
  InputReader(JsonScanner& scanner, Event& event, const EventFilter& filter)
      : scanner_(scanner), event_(event), filter_(filter) {}

  // Reads the value that begins with the token `first`, which the scanner has just returned. False:
  // the scanner has an error, or why() says what is wrong.
  bool Read(Token first);

  const std::string& why() const { return why_; }

 private:
  // Where in tool_input the scanner is.
  struct Level {
    bool is_object = false;
    std::string key = {};  // of the member that is being read, or the nearest one above an array
    std::string pointer = {};
    bool matters = false;  // of the key
    size_t next_element = 0;
    UsualName usual = UsualName::kNone;        // of the key, for an MCP tool
    std::string name = {};                     // the key under which this is
    UsualName usual_above = UsualName::kNone;  // of that one
  };

  Token Next() { return token_ = scanner_.Next(); }
  bool Wrong(const char* why);

  void BeginValues();
  bool TakeToken();
  void TakeKey(Level& level);
  bool KeepKey();
  bool TakeMember();
  bool TakeValue();
  bool TakeText(JsonScanner::String* string);
  bool OpenLevel();
  bool KeepField(const std::string& key, const std::string& pointer,
                 const JsonScanner::String& string);

  bool IsValueWanted(const JsonScanner::String& string) const;
  bool IsPointedTo() const;
  bool IsCommand() const;
  std::string PointerHere() const;

  JsonScanner& scanner_;
  Event& event_;
  const EventFilter& filter_;
  Token token_ = Token::kError;
  std::string why_;
  bool takes_values_ = false;  // every string, since the tool is one of a server, or may be
  ValueSieve sieve_;
  size_t kept_bytes_ = 0;
  std::vector<Level> levels_;
};

}  // namespace ringfence
