// Reads a Seatbelt profile (SBPL) and answers what it permits, for the subset that our profiles
// use. Strict: unknown syntax, and syntax that sandbox-exec is known to refuse, is an error. Shares
// no code with the generator of the profiles.
#pragma once

#include <regex.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

// A question of the kernel. Only one of path, socket, host and service is set.
struct SbplQuestion {
  std::string operation;  // "file-write-create"
  std::string path;       // without links
  std::string socket;     // the path of a Unix socket
  std::string host;       // "127.0.0.1"
  int port = 0;
  std::string service;  // of mach-lookup
  bool same_sandbox = false;
};

// Sources disagree on whether a rule that names an operation precedes one with a star; a profile
// should mean the same in both orders.
enum class SbplOrder { kLastMatch, kNamedFirst };

class SbplProfile {
 public:
  // Throws std::runtime_error, with the place.
  explicit SbplProfile(std::string_view text);

  bool Allows(const SbplQuestion& question, SbplOrder order) const;
  // Evaluates both orders; throws if they differ.
  bool Allows(const SbplQuestion& question) const;

  bool MayWrite(const std::string& path) const;  // may create and write to it
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
    std::shared_ptr<regex_t> expression;  // of a string that is an expression
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
