#include "proxy/wire/dns_message.h"

#include <algorithm>
#include <concepts>

#include "base/ascii.h"
#include "base/text.h"
#include "policy/rules/address.h"
#include "proxy/wire/byte_reader.h"

namespace ringfence {
namespace {

constexpr size_t kDnsHeader = 12;
constexpr size_t kMaxDnsName = 255;  // bytes, with the lengths of its labels
constexpr uint8_t kMaxDnsLabel = 63;
constexpr uint8_t kDnsPointer = 0xC0;  // the two highest bits of a length: a pointer follows
constexpr uint16_t kDnsIn = 1;         // the class of the internet
constexpr uint32_t kDnsTtl = 5;        // seconds

// Flags of the header.
constexpr uint16_t kIsResponse = 0x8000, kIsTruncated = 0x0200;
constexpr uint16_t kRecursionDesired = 0x0100, kRecursionAvailable = 0x0080;
constexpr unsigned kOpcodeShift = 11;

struct DnsHeader {
  uint16_t id = 0, flags = 0;
  uint16_t questions = 0, answers = 0, authorities = 0, additional = 0;
};

bool TakeDnsHeader(ByteReader& reader, DnsHeader& header) {
  return reader.Number(header.id) && reader.Number(header.flags) &&
         reader.Number(header.questions) && reader.Number(header.answers) &&
         reader.Number(header.authorities) && reader.Number(header.additional);
}

bool IsPlainDnsLabel(std::string_view label) {
  return std::ranges::all_of(label, [](char c) { return IsAlnum(c) || c == '-' || c == '_'; });
}

enum class DnsNameForm : uint8_t {
  kPlain,
  kNotPlain,   // complete, with a label of other characters
  kCut,        // the message ends within it
  kMalformed,  // compressed or too long
};

// Takes a name without compression. Sets `name` only if it is plain.
DnsNameForm TakeDnsName(ByteReader& reader, std::string& name) {
  const size_t available = reader.rest().size();
  bool is_plain = true;
  std::string joined;
  std::string_view label;
  do {
    if (reader.empty()) return DnsNameForm::kCut;
    if (static_cast<uint8_t>(reader.rest()[0]) > kMaxDnsLabel) return DnsNameForm::kMalformed;
    if (!reader.Block<uint8_t>(label)) return DnsNameForm::kCut;
    if (available - reader.rest().size() > kMaxDnsName) return DnsNameForm::kMalformed;
    is_plain = is_plain && IsPlainDnsLabel(label);
    if (!joined.empty() && !label.empty()) joined += '.';
    joined += label;
  } while (!label.empty());
  if (!is_plain) return DnsNameForm::kNotPlain;
  name = LowerAscii(joined);
  return DnsNameForm::kPlain;
}

// Skips the owner of a record, which may be compressed.
bool SkipOwner(ByteReader& reader) {
  std::string_view label;
  do {
    if (reader.empty()) return false;
    const auto length = static_cast<uint8_t>(reader.rest()[0]);
    if (length >= kDnsPointer) return reader.Bytes(2, label);
    if (length > kMaxDnsLabel || !reader.Block<uint8_t>(label)) return false;
  } while (!label.empty());
  return true;
}

bool SkipDnsRecords(ByteReader& reader, unsigned count) {
  for (; count > 0; --count) {
    uint16_t type = 0, dns_class = 0;
    uint32_t ttl = 0;
    std::string_view data;
    if (!SkipOwner(reader) || !reader.Number(type) || !reader.Number(dns_class) ||
        !reader.Number(ttl) || !reader.Block<uint16_t>(data)) {
      return false;
    }
  }
  return true;
}

bool EndsInNumber(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return !last.empty() && IsDigit(last[0]);
}

template <std::unsigned_integral T>
void AppendDnsNumber(std::string& out, T number) {
  for (size_t shift = 8 * sizeof(T); shift > 0; shift -= 8) {
    out.push_back(static_cast<char>(number >> (shift - 8)));
  }
}

// Returns "" if the name cannot be encoded.
std::string EncodedDnsName(std::string_view name) {
  std::string encoded;
  while (!name.empty()) {
    const std::string_view label = TakeUntil(name, '.');
    if (label.empty() || label.size() > kMaxDnsLabel) return "";
    encoded.push_back(static_cast<char>(label.size()));
    encoded += label;
  }
  encoded.push_back('\0');
  return encoded.size() > kMaxDnsName ? "" : encoded;
}

// A record about the name in the question.
std::string DnsRecord(DnsType type, std::string_view data) {
  std::string record;
  AppendDnsNumber(record, static_cast<uint16_t>(kDnsPointer << 8 | kDnsHeader));
  AppendDnsNumber(record, static_cast<uint16_t>(type));
  AppendDnsNumber(record, kDnsIn);
  AppendDnsNumber(record, kDnsTtl);
  AppendDnsNumber(record, static_cast<uint16_t>(data.size()));
  record += data;
  return record;
}

// Returns the record of an answer; "" if it has none.
std::string AnswerRecord(const DnsAnswer& answer) {
  if (answer.kind == DnsAnswer::Kind::kAddress) {
    return DnsRecord(DnsType::kA, std::string(answer.address.begin(), answer.address.end()));
  }
  if (answer.kind != DnsAnswer::Kind::kName) return "";
  const std::string name = EncodedDnsName(answer.name);
  return name.empty() ? "" : DnsRecord(DnsType::kPtr, name);
}

uint16_t ResponseCode(DnsAnswer::Kind kind) {
  switch (kind) {
    case DnsAnswer::Kind::kAddress:
    case DnsAnswer::Kind::kNoData:
    case DnsAnswer::Kind::kName:
      return 0;
    case DnsAnswer::Kind::kNoName:
      return 3;
    case DnsAnswer::Kind::kNotImplemented:
      return 4;
    case DnsAnswer::Kind::kRefused:
      break;
  }
  return 5;
}

}  // namespace

std::optional<DnsQuery> ParseDnsQuery(std::string_view message, std::optional<DnsAnswer>& refusal) {
  refusal.reset();
  ByteReader reader(message);
  DnsHeader header;
  if (!TakeDnsHeader(reader, header)) return {};
  if ((header.flags & kIsResponse) != 0 || header.questions == 0) return {};
  DnsQuery query{.id = header.id,
                 .opcode = static_cast<uint8_t>(header.flags >> kOpcodeShift & 0xF),
                 .wants_recursion = (header.flags & kRecursionDesired) != 0};
  const DnsNameForm form = TakeDnsName(reader, query.name);
  uint16_t dns_class = 0;
  if (form == DnsNameForm::kCut) return {};
  if (form != DnsNameForm::kMalformed) {
    if (!reader.Number(query.type) || !reader.Number(dns_class)) return {};
    query.question = message.substr(kDnsHeader, message.size() - kDnsHeader - reader.rest().size());
  }
  if (query.opcode != 0) {
    refusal = DnsAnswer{.kind = DnsAnswer::Kind::kNotImplemented};
  } else if (form != DnsNameForm::kPlain || dns_class != kDnsIn || header.questions != 1 ||
             header.answers != 0 || header.authorities != 0 || (header.flags & kIsTruncated) != 0 ||
             message.size() > kMaxDnsQuery || !SkipDnsRecords(reader, header.additional) ||
             !reader.empty()) {
    refusal = DnsAnswer{.kind = DnsAnswer::Kind::kRefused};
  } else if (EndsInNumber(query.name)) {
    refusal = DnsAnswer{.kind = DnsAnswer::Kind::kNoName};
  }
  return query;
}

std::string WriteDnsReply(const DnsQuery& query, const DnsAnswer& answer) {
  const bool has_question = !query.question.empty();
  const std::string record = has_question ? AnswerRecord(answer) : "";
  // From a server without recursion, Go and glibc take an empty answer for a failure.
  unsigned flags = kIsResponse | kRecursionAvailable | ResponseCode(answer.kind);
  flags |= static_cast<unsigned>(query.opcode) << kOpcodeShift;
  if (query.wants_recursion) flags |= kRecursionDesired;
  std::string reply;
  AppendDnsNumber(reply, query.id);
  AppendDnsNumber(reply, static_cast<uint16_t>(flags));
  AppendDnsNumber(reply, static_cast<uint16_t>(has_question ? 1 : 0));
  AppendDnsNumber(reply, static_cast<uint16_t>(record.empty() ? 0 : 1));
  AppendDnsNumber(reply, uint32_t{0});  // authorities, additional records
  return reply + query.question + record;
}

std::optional<std::array<uint8_t, 4>> AddressOfReverseName(std::string_view name) {
  constexpr std::string_view kReverse = ".in-addr.arpa";
  if (!name.ends_with(kReverse) || !IsDigit(name[0])) return {};
  name.remove_suffix(kReverse.size());
  const std::optional<Address> reversed = ParseAddress(name);
  if (!reversed) return {};
  std::array<uint8_t, 4> address{};
  std::copy_n(reversed->rbegin(), address.size(), address.begin());
  return address;
}

}  // namespace ringfence
