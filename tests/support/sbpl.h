// Reads a profile of Seatbelt (SBPL) and answers what it permits, as far as our profiles go, and
// strictly: what the program does not know, or what sandbox-exec is known to refuse, is an error.
// It shares no code with what writes them.
#pragma once

#include <regex.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

// What the kernel asks. Only one of path, socket, host and service is set.
struct SbplQuestion {
  std::string operation;  // "file-write-create"
  std::string path;       // without links
  std::string socket;     // the path of a Unix socket
  std::string host;       // "127.0.0.1"
  int port = 0;
  std::string service;  // of mach-lookup
  bool same_sandbox = false;
};

// Whether a rule that names an operation goes before one with a star is told in two ways; a profile
// should mean the same in both.
enum class SbplOrder { kLastMatch, kNamedFirst };

class SbplProfile {
 public:
  // Throws std::runtime_error, with the place.
  explicit SbplProfile(std::string_view text);

  bool Allows(const SbplQuestion& question, SbplOrder order) const;
  // In both orders; throws where they differ.
  bool Allows(const SbplQuestion& question) const;

  bool MayWrite(const std::string& path) const;  // made and written to
  bool MayRemove(const std::string& path) const;
  bool MayRead(const std::string& path) const;
  bool MayConnect(const std::string& host, int port) const;
  bool MayConnectSocket(const std::string& socket) const;
  bool MayLookUp(const std::string& service) const;

  // An atom, a string or a list.
  struct Form {
    enum class Kind { kAtom, kString, kList };
    Kind kind = Kind::kList;
    std::string text;
    std::vector<Form> list;
    std::shared_ptr<regex_t> expression;  // of a string that is one
  };

 private:
  struct Rule {
    bool allow = false;
    std::vector<std::string> operations;
    std::vector<Form> filters;
  };

  struct Answers {
    bool last_match = false;
    bool named_first = false;
  };

  void Add(Form& form);
  Answers Ask(const SbplQuestion& question) const;

  std::vector<Rule> rules_;
};

}  // namespace ringfence
