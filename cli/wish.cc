#include "cli/wish.h"

#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/policy_edit.h"
#include "policy/decide.h"
#include "policy/domain.h"
#include "policy/judge_tool.h"
#include "policy/layers.h"
#include "policy/pattern.h"
#include "policy/real_files.h"
#include "policy/tools.h"

namespace ringfence {
namespace {

Error Usage(std::string where, std::string what, std::string hint) {
  return Error{Error::Kind::kUsage, std::move(where), std::move(what), std::move(hint)};
}

Result<Wish> MakePath(Wish wish, const std::string& folder, const std::string& home) {
  std::string whole = wish.text;
  if (whole == "~" || whole.starts_with("~/")) {
    whole = home + whole.substr(1);
  } else if (whole.starts_with('~')) {
    return Usage(Quote(wish.text), "begins with ~ and a name", "write the whole path");
  } else if (!whole.starts_with('/')) {
    whole = folder + "/" + whole;
  }
  if (!IsValidUtf8(whole))
    return Usage(Quote(wish.text), "is not UTF-8, so no policy can name it", "");
  wish.path = Path::Clean(whole).text();
  // A name with such characters that exists is meant literally.
  wish.is_pattern = HasPattern(wish.path) && ::access(wish.path.c_str(), F_OK) != 0;
  if (wish.is_pattern) return wish;
  const RealFiles files;
  const Walked walked = Walk(wish.path, files);
  if (walked.stop != Walked::Stop::kEnd) {
    return Usage(Quote(wish.text), "cannot be followed to where it leads", "name the file itself");
  }
  wish.path = walked.end.text();
  return wish;
}

WishJudgement Worse(WishJudgement a, const Decision& b) {
  if (b.verdict <= a.verdict) return a;
  return {b.verdict, b.cause};
}

WishJudgement JudgePath(const Wish& wish, const Policy& policy, const Places& places) {
  const RealFiles disk;
  const CachedFiles files(disk);
  Event event;
  event.kind = EventKind::kPreToolUse;
  event.cwd = places.root.text();
  WishJudgement judgement =
      Worse({}, DecidePath(event, wish.path, Access::kRead, {policy, places, files}));
  if (!wish.also_write) return judgement;
  return Worse(judgement, DecidePath(event, wish.path, Access::kWrite, {policy, places, files}));
}

// A host that the entry stands for.
std::string ProbeUrl(std::string host) {
  if (host == "*") host = "a.example";
  if (host.starts_with("*.")) host = "a" + host.substr(1);
  return "https://" + host + "/";
}

}  // namespace

std::optional<WishKind> KindOf(const std::string& text) {
  if (FindTool(text) != nullptr || IsMcpTool(text) || text == "@session-tools") {
    return WishKind::kTool;
  }
  if (text.empty()) return {};
  const bool is_path = text.find('/') != std::string::npos || text[0] == '~' || text[0] == '.' ||
                       text[0] == '@' || ::access(text.c_str(), F_OK) == 0;
  if (is_path) return WishKind::kPath;
  const bool may_be_host =
      text.find('.') != std::string::npos || text.find(':') != std::string::npos;
  if (may_be_host && ParseHostRule(LowerAscii(text))) return WishKind::kHost;
  return {};
}

bool IsUrl(const std::string& text) { return text.find("://") != std::string::npos; }

Result<std::string> HostOfUrl(const std::string& url) {
  const Result<Url> parsed = ParseUrl(url);
  if (!parsed) return Usage(Quote(url), parsed.error().what, "name the host alone");
  if (parsed->host.empty()) return Usage(Quote(url), "is a URL without a host", "name a path");
  const Result<Url> plain = ParseUrl(parsed->scheme + "://" + parsed->host);
  const bool is_usual = !plain || plain->port == parsed->port;
  return parsed->host + (is_usual ? "" : ":" + std::to_string(parsed->port));
}

Result<Wish> MakeWish(WishKind kind, const std::string& text, const std::string& folder,
                      const std::string& home) {
  Wish wish;
  wish.kind = kind;
  wish.text = text;
  if (kind == WishKind::kPath && !text.starts_with('@')) return MakePath(wish, folder, home);
  if (kind == WishKind::kHost) {
    const Result<HostRule> host = ParseHostRule(LowerAscii(text));
    if (!host) return Usage(Quote(text), host.error().what, host.error().hint);
  }
  return wish;
}

std::string EntryFor(const Wish& wish, const std::string& root, const std::string& home) {
  if (wish.path.empty()) return wish.text;
  const auto spelled = [&](std::string_view path) {
    return wish.is_pattern ? std::string(path) : EscapePattern(path);
  };
  const Path path = Path::Clean(wish.path);
  if (!root.empty()) {
    if (const auto below = path.Below(Path::Clean(root))) {
      if (below->empty()) return ".";
      // What begins with such a character would mean something else.
      const bool is_special = std::string_view("~@!").find((*below)[0]) != std::string_view::npos;
      return (is_special ? "./" : "") + spelled(*below);
    }
  }
  if (const auto below = path.Below(Path::Clean(home))) {
    return below->empty() ? "~" : "~/" + spelled(*below);
  }
  return spelled(path.text());
}

Result<std::optional<WishJudgement>> JudgeWish(const Wish& wish, const Policies& policies) {
  using Judged = std::optional<WishJudgement>;
  const Result<Policy> policy = MergePolicies(policies.sources, "", policies.places, Caller{});
  if (!policy) return policy.error();
  switch (wish.kind) {
    case WishKind::kPath:
      if (wish.is_pattern || wish.path.empty()) return Judged();
      return Judged(JudgePath(wish, *policy, policies.places));
    case WishKind::kTool: {
      if (wish.text.starts_with('@')) return Judged();
      const NameJudgement judged = JudgeTool(wish.text, *policy);
      return Judged(WishJudgement{judged.verdict, judged.cause});
    }
    case WishKind::kHost: {
      // Without a "network" section nothing is opened for commands, so there is something to do.
      if (!policy->network) return Judged();
      const NameJudgement judged = JudgeUrl(ProbeUrl(LowerAscii(wish.text)), *policy);
      return Judged(WishJudgement{judged.verdict, judged.cause});
    }
  }
  return Judged();
}

}  // namespace ringfence
