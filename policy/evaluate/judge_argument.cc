#include "policy/evaluate/judge_argument.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/evaluate/judge_url.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

// What a program that adds a scheme would take for a host: it has a full stop, a port or brackets,
// or is a number, which is an address to some.
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

// A part between commas is several words, or has a placeholder: "see a.example, b.example".
bool HoldsNoHost(std::string_view text) {
  for (size_t comma = 0; comma != text.npos; text.remove_prefix(std::min(comma + 1, text.size()))) {
    comma = text.find(',');
    const std::string_view part = TrimSpace(text.substr(0, comma));
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

std::string ArgumentJudge::NameOf(const InputField& field) const {
  return "argument " + Quote(field.pointer.substr(1)) + " of " + event_.tool_name;
}

bool ArgumentJudge::IsUsable(const InputField& field, std::string_view wanted) {
  if (field.kind != JsonKind::kString) {
    verdict_.Deny(NameOf(field), "it must be " + std::string(wanted));
  } else if (field.cut) {
    verdict_.Deny(NameOf(field), "it is longer than a path can be");
  } else if (field.has_nul) {
    verdict_.Deny(NameOf(field), "it holds NUL");
  } else if (field.has_lone_surrogate) {
    verdict_.Deny(NameOf(field), "it holds half of a character");
  } else {
    return true;
  }
  return false;
}

void ArgumentJudge::JudgePath(const InputField& field, std::string_view text, Access access,
                              std::string_view verb) {
  verdict_.Take(paths_.Judge(text, access, verb, field.pointer), access);
}

void ArgumentJudge::JudgeServerPath(const InputField& field, std::string_view text, Access access) {
  JudgePath(field, text, access, VerbOf(access));
  if (!text.starts_with('~') || !paths_.MayBePath(text)) return;
  JudgePath(field, "./" + std::string(text), access, VerbOf(access));
}

void ArgumentJudge::JudgeFileUrl(const InputField& field, Access access) {
  const std::optional<std::string> path = PathOfFileUrl(field.text);
  if (!path) {
    return verdict_.Deny("file URL " + Quote(field.text),
                         "it cannot be read as the path of a local file");
  }
  JudgePath(field, *path, access, VerbOf(access));
}

void ArgumentJudge::JudgeOtherUrl(const InputField& field, Access access, TextKind kind) {
  if (kind == TextKind::kWebUrl) TakeName(JudgeUrl(field.text, policy_, trace_));
  if (kind == TextKind::kOtherUrl) JudgeOtherScheme(field.text);
  JudgeUrlAsPath(field, access);
}

void ArgumentJudge::JudgeUrlAsPath(const InputField& field, Access access) {
  if (!paths_.MayBePath(field.text)) return;
  JudgePath(field, "./" + field.text, access, VerbOf(access));
}

NameJudgement ArgumentJudge::JudgeBareHost(std::string_view text) const {
  if (SchemeOf(text) == "mailto") return {};
  if (text.starts_with("//")) text.remove_prefix(2);
  text = text.substr(0, text.find_first_of("/?#\\"));
  if (HoldsNoHost(text)) return {};
  NameJudgement worst;
  for (size_t comma = 0; comma != text.npos; text.remove_prefix(std::min(comma + 1, text.size()))) {
    comma = text.find(',');
    NameJudgement judgement = JudgeOneHost(TrimSpace(text.substr(0, comma)));
    if (judgement.verdict > worst.verdict) worst = std::move(judgement);
  }
  return worst;
}

// Also "user@host:path", as scp and git have it, and "user@host:22".
NameJudgement ArgumentJudge::JudgeOneHost(std::string_view text) const {
  const size_t at = text.rfind('@');
  const std::string_view host = at == std::string_view::npos ? text : text.substr(at + 1);
  if (IsBareAddress(host)) {
    const std::string_view address = host.substr(0, host.find('%'));
    return JudgeAuthority("[" + std::string(address) + "]", policy_, trace_);
  }
  if (LooksLikeHost(host)) return JudgeAuthority(host, policy_, trace_);
  const std::string_view before_path = host.substr(0, host.find(':'));
  const bool has_user = at != std::string_view::npos;
  if (has_user && LooksLikeHost(before_path)) return JudgeAuthority(before_path, policy_, trace_);
  return {};
}

void ArgumentJudge::JudgeOtherScheme(std::string_view url) {
  const size_t end = url.find("://");
  const std::string scheme = LowerAscii(url.substr(0, end));
  if (!ReachesHost(scheme)) return;
  const std::string_view rest = url.substr(end + 3, url.find(' ') - end - 3);
  // "docker://alpine:3" is an image of the usual registry.
  const bool is_image = scheme.starts_with("docker");
  if (is_image && rest.find('/') == rest.npos) return;
  TakeName(JudgeBareHost(rest));
}

void ArgumentJudge::TakeName(NameJudgement judgement) {
  verdict_.Take(judgement.verdict, std::move(judgement.cause));
}

}  // namespace ringfence
