// Reads the input as a DNS message. A query that is served has a canonical name, and every reply is
// a well-formed message with the same id and question.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "policy/rules/domain.h"
#include "proxy/wire/byte_reader.h"
#include "proxy/wire/dns_message.h"

using namespace ringfence;

namespace {

using Kind = DnsAnswer::Kind;
constexpr size_t kHeader = 12;

std::optional<DnsQuery> Served(std::string_view message) {
  std::optional<DnsAnswer> refusal;
  std::optional<DnsQuery> query = ParseDnsQuery(message, refusal);
  if (refusal) query.reset();
  return query;
}

// Requires a record that answers the question, and takes it.
void TakeRecord(ByteReader& reader, const DnsAnswer& answer) {
  uint16_t owner = 0, type = 0, record_class = 0;
  uint32_t ttl = 0;
  std::string_view data;
  Require(reader.Number(owner) && reader.Number(type) && reader.Number(record_class) &&
          reader.Number(ttl) && reader.Block<uint16_t>(data));
  Require(owner == 0xC000 + kHeader && record_class == 1 && ttl == 5);
  if (answer.kind == Kind::kAddress) {
    Require(type == 1 && data == std::string(answer.address.begin(), answer.address.end()));
    return;
  }
  Require(answer.kind == Kind::kName && type == 12);
  ByteReader labels(data);
  std::string name;
  std::string_view label;
  while (labels.Block<uint8_t>(label) && !label.empty()) {
    name += name.empty() ? "" : ".";
    name += label;
  }
  Require(labels.empty() && name == answer.name);
}

void CheckReply(const DnsQuery& query, const DnsAnswer& answer) {
  const std::string reply = WriteDnsReply(query, answer);
  ByteReader reader(reply);
  uint16_t id = 0, flags = 0, questions = 0, answers = 0;
  uint32_t others = 0;
  std::string_view question;
  Require(reader.Number(id) && reader.Number(flags) && reader.Number(questions) &&
          reader.Number(answers) && reader.Number(others) && id == query.id && others == 0);
  Require((flags & 0x8000) != 0 && (flags >> 11 & 0xF) == query.opcode);
  Require(((flags & 0x0100) != 0) == query.wants_recursion);
  Require(questions == (query.question.empty() ? 0 : 1));
  Require(reader.Bytes(query.question.size(), question) && question == query.question);
  Require(answers <= 1 && (answer.kind != Kind::kAddress || answers == questions));
  if (answers == 1) TakeRecord(reader, answer);
  Require(reader.empty());
  // A reply is not taken for a query.
  std::optional<DnsAnswer> refusal;
  Require(!ParseDnsQuery(reply, refusal));
}

void CheckServed(std::string_view message, const DnsQuery& query) {
  Require(message.size() <= kMaxDnsQuery && query.opcode == 0);
  Require(message.substr(kHeader).starts_with(query.question));
  // Nothing shorter or longer is served.
  for (size_t size = 0; size < message.size(); ++size) Require(!Served(message.substr(0, size)));
  Require(!Served(std::string(message) + "x"));
  if (query.name.empty()) return;
  const Result<std::string> host = PlainHost(query.name);
  Require(host && *host == query.name);
  CheckReply(query, {.kind = Kind::kName, .name = query.name});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::optional<DnsAnswer> refusal;
  const std::optional<DnsQuery> query = ParseDnsQuery(input, refusal);
  if (query) {
    for (const Kind kind : {Kind::kAddress, Kind::kNoData, Kind::kName, Kind::kNoName,
                            Kind::kRefused, Kind::kNotImplemented}) {
      CheckReply(*query, {.kind = kind, .address = {198, 18, 1, 2}, .name = "a-b.forge.example"});
    }
    // Any text as a name of an answer: the reply stays well-formed.
    const std::string reply = WriteDnsReply(*query, {.kind = Kind::kName, .name = query->question});
    Require(reply.size() >= kHeader + query->question.size());
    if (!refusal) CheckServed(input, *query);
  }
  const std::string_view name = query && !query->name.empty() ? query->name : input;
  if (const auto address = AddressOfReverseName(name)) {
    std::string again;
    for (size_t i = 4; i-- > 0;) again += std::to_string((*address)[i]) + ".";
    Require(again + "in-addr.arpa" == name);
  }
  return 0;
}
