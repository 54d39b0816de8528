// InputReader reads tool_input: the arguments of a built-in tool that may matter, and every string
// of an MCP tool that may be a path or a URL. Everything else is checked as JSON and skipped.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/event_reader.h"
#include "agents/claude/value_sieve.h"
#include "base/json_scanner.h"
#include "policy/event.h"

namespace ringfence {

// True if the value of `key` may matter to the decision, for any tool. `key` is as received.
bool MayMatter(std::string_view key);

class InputReader {
 public:
  // All three must outlive this object. Adds what it keeps to `event.input`. If `event.raw_input`
  // has a value, sets its `command` to the byte offset of the command's text in the whole document.
  InputReader(JsonScanner& scanner, Event& event, const EventFilter& filter)
      : scanner_(scanner), event_(event), filter_(filter) {}

  // Reads the value that begins with the token `first`, which the scanner has just returned.
  // Returns false if the scanner has an error or why() describes one.
  bool Read(Token first);

  const std::string& why() const { return why_; }

 private:
  // One level of nesting in tool_input.
  struct Level {
    bool is_object = false;
    std::string key = {};  // of the current member, or of the nearest one above an array
    std::string pointer = {};
    bool matters = false;  // the value of `key` may matter
    size_t next_element = 0;
    UsualName usual = UsualName::kNone;        // kind of `key`, for an MCP tool
    std::string name = {};                     // key of the value that opened this level
    UsualName usual_above = UsualName::kNone;  // kind of `name`
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
  bool takes_values_ = false;  // reads every string: the tool is an MCP tool, or may be
  ValueSieve sieve_;
  size_t kept_bytes_ = 0;
  std::vector<Level> levels_;
};

}  // namespace ringfence
