#include "policy/evaluate/evaluate_url.h"

#include "base/text.h"
#include "policy/evaluate/evaluate_host.h"
#include "policy/rules/domain.h"
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

NameDecision DeniedText(std::string_view text, std::string why) {
  NameDecision decision{Verdict::kDeny, Cause{"", std::move(why)}};
  NameConnection(decision, text);
  return decision;
}

NameDecision EvaluateRead(std::string_view text, const HostPort& read, const Policy& policy,
                          Trace* trace) {
  NameDecision decision = EvaluateHost(read.host, read.port, policy, trace);
  NameConnection(decision, text);
  return decision;
}

}  // namespace

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

NameDecision EvaluateUrl(std::string_view text, const Policy& policy, Trace* trace) {
  if (!IsWebUrl(text)) return DeniedText(text, "it is not an http, https, ws or wss URL");
  if (!policy.network) return {};
  const Result<Url> url = ParseUrl(text);
  if (!url) return DeniedText(text, "it " + url.error().what);
  return EvaluateRead(text, {url->host, url->port}, policy, trace);
}

NameDecision EvaluateAuthority(std::string_view text, const Policy& policy, Trace* trace) {
  if (!policy.network) return {};
  Result<HostPort> read = ParseHostPort(text);
  if (!read) return DeniedText(text, "it " + read.error().what);
  if (read->port == 0) read->port = kUsualPort;
  return EvaluateRead(text, *read, policy, trace);
}

}  // namespace ringfence
