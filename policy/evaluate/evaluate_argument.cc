#include "policy/evaluate/evaluate_argument.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/evaluate/evaluate_url.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

// True if a program that adds a scheme would take the text for a host: it has a full stop, a port
// or brackets, or is a number, which some programs read as an address.
bool LooksLikeHost(std::string_view authority) {
  if (authority.starts_with('[')) return true;
  std::string plain;
  if (!DecodePercent(authority, &plain)) return false;
  plain = LowerAscii(WithPlainMarks(plain));
  const size_t colon = std::min(plain.find(':'), plain.size());
  const std::string_view host = std::string_view(plain).substr(0, colon);
  const std::string_view port = std::string_view(plain).substr(std::min(colon + 1, plain.size()));
  if (host.empty() || host.front() == '.') return false;
  if (host.find_first_of(" {<") != std::string_view::npos) return false;
  if (!port.empty()) return std::ranges::all_of(port, IsDigit);
  return host == "localhost" || host.find('.') != std::string_view::npos ||
         std::ranges::all_of(host, IsDigit) || host.starts_with("0x");
}

// True if a part between commas has several words or a placeholder: "see a.example, b.example".
bool HoldsNoHost(std::string_view text) {
  while (!text.empty()) {
    const std::string_view part = TrimSpace(TakeUntil(text, ','));
    if (part.substr(part.rfind('@') + 1).find_first_of(" {<") != part.npos) return true;
  }
  return false;
}

}  // namespace

std::string_view VerbOf(Access access) { return access == Access::kRead ? "read of" : "write to"; }

std::optional<std::string> PathOfFileUrl(std::string_view text) {
  const Result<Url> url = ParseUrl(text);
  const bool local = url && (url->host.empty() || url->host == "localhost");
  std::string path;
  if (!local || !url->path.starts_with('/') ||
      !DecodePercent(url->path.substr(0, url->path.find_first_of("?#")), &path)) {
    return {};
  }
  return path;
}

std::string ArgumentEvaluator::NameOf(const InputField& field) const {
  return "argument " + Quote(field.pointer.substr(1)) + " of " + event_.tool_name;
}

bool ArgumentEvaluator::IsUsable(const InputField& field, std::string_view wanted) {
  if (field.kind != JsonKind::kString) {
    verdict_.Deny(NameOf(field), "it must be " + std::string(wanted));
  } else if (field.cut) {
    verdict_.Deny(NameOf(field), "it is longer than a path can be");
  } else if (field.has_nul) {
    verdict_.Deny(NameOf(field), "it contains NUL");
  } else if (field.has_lone_surrogate) {
    verdict_.Deny(NameOf(field), "it holds half of a character");
  } else {
    return true;
  }
  return false;
}

void ArgumentEvaluator::EvaluatePath(const InputField& field, std::string_view text, Access access,
                                     std::string_view verb) {
  verdict_.Take(paths_.Evaluate(text, access, verb, field.pointer), access);
}

void ArgumentEvaluator::EvaluateServerPath(const InputField& field, std::string_view text,
                                           Access access) {
  EvaluatePath(field, text, access, VerbOf(access));
  if (!text.starts_with('~') || !paths_.MayBePath(text)) return;
  EvaluatePath(field, "./" + std::string(text), access, VerbOf(access));
}

void ArgumentEvaluator::EvaluateFileUrl(const InputField& field, Access access) {
  const std::optional<std::string> path = PathOfFileUrl(field.text);
  if (!path) {
    return verdict_.Deny("file URL " + Quote(field.text),
                         "it cannot be read as the path of a local file");
  }
  EvaluatePath(field, *path, access, VerbOf(access));
}

void ArgumentEvaluator::EvaluateOtherUrl(const InputField& field, Access access, TextKind kind) {
  if (kind == TextKind::kWebUrl) TakeName(EvaluateUrl(field.text, policy_, trace_));
  if (kind == TextKind::kOtherUrl) EvaluateOtherScheme(field.text);
  EvaluateUrlAsPath(field, access);
}

void ArgumentEvaluator::EvaluateUrlAsPath(const InputField& field, Access access) {
  if (!paths_.MayBePath(field.text)) return;
  EvaluatePath(field, "./" + field.text, access, VerbOf(access));
}

NameDecision ArgumentEvaluator::EvaluateBareHost(std::string_view text) const {
  if (SchemeOf(text) == "mailto") return {};
  if (text.starts_with("//")) text.remove_prefix(2);
  text = text.substr(0, text.find_first_of("/?#\\"));
  if (HoldsNoHost(text)) return {};
  NameDecision worst;
  while (!text.empty()) {
    NameDecision decision = EvaluateOneHost(TrimSpace(TakeUntil(text, ',')));
    if (decision.verdict > worst.verdict) worst = std::move(decision);
  }
  return worst;
}

// Also accepts "user@host:path", the form of scp and git, and "user@host:22".
NameDecision ArgumentEvaluator::EvaluateOneHost(std::string_view text) const {
  const size_t at = text.rfind('@');
  const std::string_view host = at == std::string_view::npos ? text : text.substr(at + 1);
  if (IsBareAddress(host)) {
    const std::string_view address = host.substr(0, host.find('%'));
    return EvaluateAuthority("[" + std::string(address) + "]", policy_, trace_);
  }
  if (LooksLikeHost(host)) return EvaluateAuthority(host, policy_, trace_);
  const std::string_view before_path = host.substr(0, host.find(':'));
  const bool has_user = at != std::string_view::npos;
  if (has_user && LooksLikeHost(before_path))
    return EvaluateAuthority(before_path, policy_, trace_);
  return {};
}

void ArgumentEvaluator::EvaluateOtherScheme(std::string_view url) {
  const size_t end = url.find("://");
  const std::string scheme = LowerAscii(url.substr(0, end));
  if (!ReachesHost(scheme)) return;
  const std::string_view rest = url.substr(end + 3, url.find(' ') - end - 3);
  // "docker://alpine:3" is an image in the default registry.
  const bool is_image = scheme.starts_with("docker");
  if (is_image && rest.find('/') == rest.npos) return;
  TakeName(EvaluateBareHost(rest));
}

void ArgumentEvaluator::TakeName(NameDecision decision) {
  verdict_.Take(decision.verdict, std::move(decision.cause));
}

}  // namespace ringfence
