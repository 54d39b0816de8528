// DNS as a stub resolver in the sandbox speaks it (RFC 1035, 6891): parses one question, and writes
// the answer. No name is looked up anywhere for this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

constexpr size_t kMaxDnsQuery = 512;  // bytes; a query with one name and padding (RFC 8467) fits

enum class DnsType : uint16_t {
  kA = 1,
  kCname = 5,
  kPtr = 12,
  kMx = 15,
  kTxt = 16,
  kAaaa = 28,
  kSrv = 33,
  kSvcb = 64,
  kHttps = 65,
};

struct DnsQuery {
  uint16_t id = 0;
  uint8_t opcode = 0;  // 0: QUERY
  bool wants_recursion = false;
  // Lower case, labels joined by dots, without the final dot; "" for the root, or if a label is not
  // plain.
  std::string name{};
  uint16_t type = 0;  // DnsType or any other
  // The first question as sent, for the reply; "" if it cannot be repeated because it is malformed.
  std::string question{};
};

// What to answer.
struct DnsAnswer {
  enum class Kind : uint8_t {
    kAddress,  // an A record
    kNoData,   // NOERROR without records
    kName,     // a PTR record
    kNoName,   // NXDOMAIN
    kRefused,
    kNotImplemented,
  };
  Kind kind = Kind::kNoData;
  std::array<uint8_t, 4> address{};  // kAddress
  std::string name{};                // kName
};

// Returns nothing if no reply can be made, because the message is a response or ends within the
// header or the first question. `refusal` is set if the query is not served, and empty otherwise:
// - kNotImplemented: an opcode other than QUERY;
// - kRefused: a class other than IN, several questions, other records than additional ones, labels
//   with characters other than letters, digits, "-" and "_", compression in the question, a name of
//   more than 255 bytes, the TC bit, more than kMaxDnsQuery bytes, records or a rest that do not
//   parse;
// - kNoName: a last label that begins with a digit. No name of the internet has one, and programs
//   read "1.2.3.4" and "0x7f.1" as addresses.
// Additional records (EDNS) are skipped; a reply without them says that EDNS is not supported. The
// name of a query that is served is canonical (policy/rules/domain.h), or "" for the root.
std::optional<DnsQuery> ParseDnsQuery(std::string_view message, std::optional<DnsAnswer>& refusal);

// Writes the reply: the same id and question, TTL 5 seconds, never truncated. A kName that is no
// name of DNS, and records for a query without a question, are left out.
std::string WriteDnsReply(const DnsQuery& query, const DnsAnswer& answer);

// The address in a name below in-addr.arpa, "9.0.18.198.in-addr.arpa" -> 198.18.0.9; nothing for
// any other name.
std::optional<std::array<uint8_t, 4>> AddressOfReverseName(std::string_view name);

}  // namespace ringfence
