#include "policy/evaluate/judge_host.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "policy/evaluate/fix.h"
#include "policy/rules/word_list.h"

namespace ringfence {
namespace {

constexpr uint16_t kUsualPort = 443;

// clang-format off
constexpr WordList kNetworkSchemes(
    "amqp\namqps\nbolt\ncassandra\ncifs\nclickhouse\ncockroachdb\ncouchbase\ncouchbases\ndav\n"
    "davs\ndocker\ndocker-image\nelasticsearch\nftp\nftps\ngit\ngopher\ngrpc\ngrpcs\nhive\nhive2\nhttp\nhttps\nimap\n"
    "imaps\ninfluxdb\nirc\nircs\nkafka\nldap\nldaps\nlibsql\nmariadb\nmemcached\nmongodb\nmqtt\n"
    "mqtts\nmssql\nmysql\nnats\nneo4j\nnfs\noci\nopensearch\noracle\npostgres\npostgresql\npresto\n"
    "redis\nrediss\nredshift\nrsync\nrtsp\nrtsps\nscp\nsftp\nsmb\nsmtp\nsmtps\nsnowflake\nsocks\n"
    "socks4\nsocks4a\nsocks5\nsocks5h\nsqlserver\nssh\nsvn\ntcp\ntelnet\ntftp\ntrino\nudp\n"
    "webdav\nwebdavs\n");
// clang-format on

NameJudgement DeniedHost(std::string what, std::string why, std::optional<RulePlace> place,
                         std::string remedy) {
  return {Verdict::kDeny, Cause{std::move(what), std::move(why), place, std::move(remedy)}};
}

NameJudgement JudgeUnlisted(std::string what, std::string_view host, const HostList& list,
                            const Policy& policy) {
  const std::string why = "the host " + Quote(host) + " is not listed";
  switch (list.unlisted) {
    case Unlisted::kAllow:
      return {};
    case Unlisted::kAsk:
      return {Verdict::kAsk, Cause{std::move(what), why, list.place, ""}};
    case Unlisted::kDeny:
      break;
  }
  return DeniedHost(std::move(what), why, list.place,
                    AllowFix(policy, list.place, HostWords(host)));
}

// One host, or all that "*.host" stands for, and how messages name it.
struct WantedHosts {
  HostRule rule;
  std::string_view shown;
};

NameJudgement JudgeWanted(std::string what, const WantedHosts& wanted, const Policy& policy,
                          Trace* trace) {
  const NetworkRules& rules = *policy.network;
  const auto note = [&](const HostRule& rule) {
    if (trace != nullptr) trace->rules.push_back({rule.place, std::string(rule.written)});
  };
  for (const HostRule& rule : rules.deny) {
    if (!Overlaps(rule, wanted.rule)) continue;
    note(rule);
    const std::string by = rule.place.quotable ? Quote(rule.written) : "the project's policy";
    return DeniedHost(std::move(what), "denied by " + by, rule.place, "");
  }
  NameJudgement worst;
  for (const HostList& list : rules.lists) {
    const auto covers = [&](const HostRule& rule) { return Covers(rule, wanted.rule); };
    if (const auto rule = std::ranges::find_if(list.allow, covers); rule != list.allow.end()) {
      note(*rule);
      continue;
    }
    NameJudgement judgement = JudgeUnlisted(what, wanted.shown, list, policy);
    // Of equal ones the last, which `ringfence allow` cannot change: to add it to the first alone
    // would not help.
    const bool counts = judgement.verdict != Verdict::kPermit && judgement.verdict >= worst.verdict;
    if (counts) worst = std::move(judgement);
  }
  return worst;
}

NameJudgement JudgeHost(std::string what, const HostPort& host, const Policy& policy,
                        Trace* trace) {
  HostRule rule;
  rule.host = host.host;
  rule.port = host.port;
  return JudgeWanted(std::move(what), {rule, host.host}, policy, trace);
}

}  // namespace

NameJudgement JudgeHosts(std::string_view text, const Policy& policy, Trace* trace) {
  if (!policy.network) return {};
  std::string what = "connection to " + Quote(text);
  const std::string lower = LowerAscii(text);
  const Result<HostRule> wanted = ParseHostRule(lower);
  if (!wanted) return DeniedHost(std::move(what), "it " + wanted.error().what, {}, "");
  return JudgeWanted(std::move(what), {*wanted, text}, policy, trace);
}

NameJudgement JudgeHostText(std::string_view text, const Policy& policy, Trace* trace) {
  if (!policy.network) return {};
  std::string what = "connection to " + Quote(text);
  Result<HostPort> host = ParseHostPort(text);
  if (!host) return DeniedHost(std::move(what), "it " + host.error().what, {}, "");
  if (host->port == 0) host->port = kUsualPort;
  return JudgeHost(std::move(what), *host, policy, trace);
}

bool ReachesHost(std::string_view scheme) {
  const size_t plus = scheme.find('+');
  if (kNetworkSchemes.Contains(scheme.substr(0, plus))) return true;
  return plus != scheme.npos && kNetworkSchemes.Contains(scheme.substr(plus + 1));
}

bool IsWebUrl(std::string_view text) {
  const std::string lower = LowerAscii(text.substr(0, 8));
  return lower.starts_with("http://") || lower.starts_with("https://") ||
         lower.starts_with("ws://") || lower.starts_with("wss://");
}

NameJudgement JudgeUrl(std::string_view text, const Policy& policy, Trace* trace) {
  std::string what = "connection to " + Quote(text);
  if (!IsWebUrl(text)) {
    return DeniedHost(std::move(what), "it is not an http, https, ws or wss URL", {}, "");
  }
  if (!policy.network) return {};
  const Result<Url> url = ParseUrl(text);
  if (!url) return DeniedHost(std::move(what), "it " + url.error().what, {}, "");
  return JudgeHost(std::move(what), {url->host, url->port}, policy, trace);
}

}  // namespace ringfence
