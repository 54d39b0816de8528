#include "cli/permit/wish.h"

#include <unistd.h>

#include <algorithm>

#include "agents/claude/agent.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/evaluate/host_or_file.h"
#include "policy/evaluate/judge_path.h"
#include "policy/evaluate/judge_tool.h"
#include "policy/evaluate/judge_url.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/domain.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

Error WrongWish(std::string where, std::string what, std::string hint) {
  return Error{Error::Kind::kUsage, std::move(where), std::move(what), std::move(hint)};
}

Result<Wish> MakePath(Wish wish, const std::string& folder, const std::string& home) {
  std::string whole = wish.text;
  if (whole == "~" || whole.starts_with("~/")) {
    whole = home + whole.substr(1);
  } else if (whole.starts_with('~')) {
    return WrongWish(Quote(wish.text), "begins with ~ and a name", "write the whole path");
  } else if (!whole.starts_with('/')) {
    whole = folder + "/" + whole;
  }
  if (!IsValidUtf8(whole))
    return WrongWish(Quote(wish.text), "is not UTF-8, so a policy cannot name it", "");
  wish.path = Path::Clean(whole).text();
  wish.named = wish.path;
  // A name with such characters that exists is meant literally.
  wish.is_pattern = HasPattern(wish.path) && ::access(wish.path.c_str(), F_OK) != 0;
  if (wish.is_pattern) return wish;
  const RealFiles files;
  const Walked walked = Walk(wish.path, files);
  if (walked.stop != Walked::Stop::kEnd) {
    return WrongWish(Quote(wish.text), "cannot be resolved", "name the file itself");
  }
  wish.path = walked.end.text();
  return wish;
}

void TakeWorse(WishJudgement& worst, Judgement judgement, Trace& trace) {
  for (RuleUse& use : trace.rules) worst.rules.push_back(std::move(use));
  if (judgement.verdict <= worst.verdict) return;
  worst.verdict = judgement.verdict;
  worst.cause = std::move(judgement.cause);
}

// A path that a pattern matches, with "any" for each "*" and "**"; nothing where one with brackets
// or backslashes would have to be made up.
std::optional<std::string> ProbePath(const std::string& pattern) {
  if (pattern.find_first_of("[]\\") != std::string::npos) return {};
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '?') {
      path += 'x';
    } else if (pattern[i] != '*') {
      path += pattern[i];
    } else if (i == 0 || pattern[i - 1] != '*') {
      path += "any";
    }
  }
  return path;
}

WishJudgement JudgePath(const std::string& path, const Wish& wish, const Policy& policy,
                        const Places& places) {
  const RealFiles disk;
  const CachedFiles files(disk);
  Event event;
  event.kind = EventKind::kPreToolUse;
  event.cwd = places.root.text();
  WishJudgement worst;
  for (const Access access : {Access::kRead, Access::kWrite}) {
    if (access == Access::kWrite && !wish.also_write) continue;
    PathJudge judge(policy, places, event, files);
    Trace trace;
    judge.Record(trace);
    const char* verb = access == Access::kRead ? "read of" : "write to";
    TakeWorse(worst, judge.Judge(path, access, verb, ""), trace);
  }
  return worst;
}

WishJudgement JudgeName(NameJudgement judged, Trace trace) {
  return {judged.verdict, std::move(judged.cause), std::move(trace.rules)};
}

// A host that the entry stands for.
std::string ProbeUrl(std::string host) {
  if (host == "*") host = "a.example";
  if (host.starts_with("*.")) host = "a" + host.substr(1);
  return "https://" + host + "/";
}

}  // namespace

std::optional<WishKind> KindOf(const std::string& text) {
  if (ClaudeCode().tools.Find(text) || IsMcpTool(text) || text == "@session-tools" ||
      text == "@known-tools") {
    return WishKind::kTool;
  }
  if (text.empty()) return {};
  const bool is_path = text.find('/') != std::string::npos || text[0] == '~' || text[0] == '.' ||
                       text[0] == '@' || ::access(text.c_str(), F_OK) == 0;
  if (is_path) return WishKind::kPath;
  if (KindOfName(text) == NameKind::kHost) return WishKind::kHost;
  return {};
}

bool MayBeFileOrHost(const std::string& text) { return KindOfName(text) == NameKind::kHostOrFile; }

bool IsUrl(const std::string& text) { return text.find("://") != std::string::npos; }

Result<std::string> HostOfUrl(const std::string& url) {
  const Result<Url> parsed = ParseUrl(url);
  if (!parsed) return WrongWish(Quote(url), parsed.error().what, "name only the host");
  if (parsed->host.empty()) return WrongWish(Quote(url), "is a URL without a host", "name a path");
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
  if (kind == WishKind::kTool) {
    wish.named = text;
    if (IsMcpServer(text)) wish.text = McpServerPattern(text);
  }
  if (kind == WishKind::kHost) {
    const Result<HostRule> host = ParseHostRule(LowerAscii(text));
    if (!host) return WrongWish(Quote(text), host.error().what, host.error().hint);
  }
  return wish;
}

std::vector<std::string> NamesOfHome(const std::string& home) {
  const Walked walked = Walk(home, RealFiles());
  if (walked.stop != Walked::Stop::kEnd || walked.end.text() == home) return {home};
  return {home, walked.end.text()};
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
  for (const std::string& name : NamesOfHome(home)) {
    const auto below = path.Below(Path::Clean(name));
    if (below) return below->empty() ? "~" : "~/" + spelled(*below);
  }
  return spelled(path.text());
}

Result<std::optional<WishJudgement>> JudgeWish(const Wish& wish, const Context& policies) {
  using Answer = std::optional<WishJudgement>;
  const Result<Policy> policy = policies.PolicyFor();
  if (!policy) return policy.error();
  switch (wish.kind) {
    case WishKind::kPath: {
      const auto path = wish.is_pattern ? ProbePath(wish.path) : std::optional(wish.path);
      if (!path || path->empty()) return Answer();
      return Answer(JudgePath(*path, wish, *policy, policies.places));
    }
    case WishKind::kTool: {
      if (wish.text.starts_with('@')) return Answer();
      Trace trace;
      NameJudgement judged = JudgeTool(wish.text, *policy, &trace);
      return Answer(JudgeName(std::move(judged), std::move(trace)));
    }
    case WishKind::kHost: {
      // No host is refused without a "network" section. To make one would refuse all others.
      if (!policy->network) return Answer(WishJudgement{});
      Trace trace;
      NameJudgement judged = JudgeUrl(ProbeUrl(LowerAscii(wish.text)), *policy, &trace);
      return Answer(JudgeName(std::move(judged), std::move(trace)));
    }
  }
  return Answer();
}

bool HasNetwork(const Context& policies) {
  const Result<Policy> policy = policies.PolicyFor();
  return policy && policy->network;
}

}  // namespace ringfence
