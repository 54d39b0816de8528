#include "cli/common/misread_path.h"

#include <unistd.h>

#include <string_view>

#include "base/text.h"
#include "cli/common/grant_target.h"
#include "policy/evaluate/host_or_file.h"
#include "policy/rules/address_range.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

bool IsRange(const std::string& word) {
  const size_t slash = word.find('/');
  if (slash == std::string::npos || slash + 1 == word.size()) return false;
  return word.find_first_not_of("0123456789", slash + 1) == std::string::npos &&
         ParseAddressRange(std::string_view(word).substr(0, slash));
}

// Returns the host of "good.example/x" or "good.example:8080/x"; "" for other words.
std::string HostBeforePath(const std::string& word) {
  const size_t slash = word.find('/');
  if (slash == std::string::npos) return "";
  std::string host = word.substr(0, slash);
  const bool may_be_one = host.find_first_of(".:") != std::string::npos && !HasPattern(host);
  return may_be_one && KindOfName(host) != NameKind::kNeither ? host : "";
}

// Returns the host and the port of "git@good.example:x/y.git"; "" for other words.
std::string HostOfSsh(const std::string& word) {
  const size_t at = word.find('@');
  const size_t colon = word.find(':');
  if (at == std::string::npos || at == 0 || colon == std::string::npos || colon < at) return "";
  const std::string host = word.substr(at + 1, colon - at - 1);
  const bool is_one = word.find('/') > colon && KindOfName(host) != NameKind::kNeither;
  return is_one ? host + ":22" : "";
}

Error NotAPath(const std::string& word, const std::string& host, const char* without) {
  return UsageError(
      Quote(word), std::string("does not exist here, and a host is written without ") + without,
      "did you mean " + Quote(host) + "? A file of that name is " + Quote("./" + word));
}

}  // namespace

std::optional<Error> MisreadPath(const std::string& word, const std::string& folder) {
  if (word.empty() || std::string_view("/.~@").find(word[0]) != std::string_view::npos) return {};
  if (KindOf(word) == TargetKind::kTool) return {};
  const std::string first = (folder.empty() ? "" : folder + "/") + word.substr(0, word.find('/'));
  if (::access(first.c_str(), F_OK) == 0) return {};
  if (IsRange(word)) {
    return UsageError(
        Quote(word), "is a range of addresses, not a host or a path",
        "list it in \"private\" of a policy's \"network\" section, for the names that "
        "have such addresses; a file of that name is " +
            Quote("./" + word));
  }
  if (const std::string host = HostBeforePath(word); !host.empty()) {
    return NotAPath(word, host, "a path");
  }
  if (const std::string host = HostOfSsh(word); !host.empty()) {
    return NotAPath(word, host, "a user and a path");
  }
  return {};
}

}  // namespace ringfence
