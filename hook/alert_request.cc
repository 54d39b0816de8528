#include "hook/alert_request.h"

#include <algorithm>
#include <iterator>

#include "base/json_scanner.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr std::string_view kBegin = "{\"alert\":";
constexpr size_t kMaxRequestText = 4096;

struct KindWord {
  std::string_view word;
  Named::Kind kind;
};
constexpr KindWord kKindWords[] = {{"path", Named::Kind::kPath},
                                   {"written", Named::Kind::kWritten},
                                   {"hidden", Named::Kind::kHidden},
                                   {"host", Named::Kind::kHost}};
constexpr std::string_view kUnwrapped = "unwrapped";

std::string_view WordOf(const AlertRequest& request) {
  if (request.kind == Alert::Kind::kUnwrapped) return kUnwrapped;
  return std::ranges::find(kKindWords, request.named.kind, &KindWord::kind)->word;
}

bool SetKind(std::string_view word, AlertRequest& request) {
  if (word == kUnwrapped) {
    request.kind = Alert::Kind::kUnwrapped;
    return true;
  }
  const auto found = std::ranges::find(kKindWords, word, &KindWord::word);
  if (found == std::end(kKindWords)) return false;
  request.named.kind = found->kind;
  return true;
}

// Returns the member's value, or nullptr if the request has no such member.
std::string* RequestMember(AlertRequest& request, std::string_view key) {
  if (key == "name") return &request.named.text;
  if (key == "cwd") return &request.cwd;
  if (key == "tool") return &request.tool;
  if (key == "session") return &request.session;
  return nullptr;
}

bool ReadMember(JsonScanner& scanner, AlertRequest& request) {
  const std::string key(scanner.text());
  if (scanner.Next() != Token::kString) return false;
  JsonScanner::String value;
  if (!scanner.TakeString(kMaxRequestText, &value) || value.cut || value.has_nul) return false;
  if (key == "alert") return SetKind(value.text, request);
  std::string* member = RequestMember(request, key);
  if (member == nullptr) return false;
  *member = value.text;
  return true;
}

// Rejects a relative name without a cwd, which would be resolved in the launcher's own directory.
bool IsSound(const AlertRequest& request) {
  if (!request.cwd.empty() && !request.cwd.starts_with('/')) return false;
  if (request.kind == Alert::Kind::kUnwrapped) return request.named.text.empty();
  const std::string_view name = request.named.text;
  if (name.empty()) return false;
  return request.named.kind == Named::Kind::kHost || name.starts_with('/') ||
         name.starts_with("~/") || !request.cwd.empty();
}

}  // namespace

std::string AlertRequestText(const AlertRequest& request) {
  return std::string(kBegin) + JsonString(WordOf(request)) +
         ",\"name\":" + JsonString(request.named.text) + ",\"cwd\":" + JsonString(request.cwd) +
         ",\"tool\":" + JsonString(request.tool) + ",\"session\":" + JsonString(request.session) +
         "}";
}

bool IsAlertRequest(std::string_view text) { return text.starts_with(kBegin); }

std::optional<AlertRequest> ReadAlertRequest(std::string_view text) {
  if (!IsAlertRequest(text) || text.size() > kMaxAlertRequest) return {};
  TextSource source(text);
  JsonScanner scanner(source, {.comments = false, .max_depth = 1});
  if (scanner.Next() != Token::kObjectBegin) return {};
  AlertRequest request;
  for (;;) {
    const Token token = scanner.Next();
    if (token == Token::kObjectEnd) break;
    if (token != Token::kKey || !ReadMember(scanner, request)) return {};
  }
  if (scanner.Next() != Token::kEnd || !IsSound(request)) return {};
  return request;
}

}  // namespace ringfence
