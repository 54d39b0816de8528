#include "proxy/wire/client_hello.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "policy/rules/address.h"
#include "proxy/wire/byte_reader.h"
#include "proxy/wire/wire_host.h"

namespace ringfence {
namespace {

constexpr size_t kRecordHeader = 5;  // type, version, length
constexpr size_t kMaxRecord = 1 << 14;
constexpr unsigned kHandshakeRecord = 22;
constexpr size_t kHelloHeader = 4;  // type, length
constexpr char kHelloType = 1;
constexpr uint16_t kTls10 = 0x0301, kTls12 = 0x0303;  // TLS 1.3 calls itself 1.2 here
constexpr uint16_t kServerNameExtension = 0, kEchExtension = 0xFE0D;
constexpr uint16_t kEsniExtension = 0xFFCE;  // of the drafts before ECH
constexpr uint8_t kHostName = 0;

bool HelloFails(WireError& error, std::string_view reason) {
  error = WireError{.reason = std::string(reason)};
  return false;
}

unsigned HelloByte(std::string_view bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

size_t RecordLength(std::string_view record) {
  return HelloByte(record, 3) << 8 | HelloByte(record, 4);
}

// The size of the whole message, header included, according to its header; nothing as long as that
// is incomplete.
std::optional<size_t> HelloSize(std::string_view message) {
  if (message.size() < kHelloHeader) return {};
  return kHelloHeader +
         (HelloByte(message, 1) << 16 | HelloByte(message, 2) << 8 | HelloByte(message, 3));
}

// Checks the beginning of the message. The record that it came from ends at `record_end`; the
// message has then `joined` bytes. A check comes before all that need later bytes, so that the
// result does not depend on how the bytes arrive.
bool CheckHelloSize(std::string_view message, size_t joined, size_t record_end, WireError& error) {
  constexpr std::string_view kTooLong = "has a TLS ClientHello of more than 16 KB";
  if (record_end > kMaxClientHello) return HelloFails(error, kTooLong);
  if (!message.empty() && message[0] != kHelloType) {
    return HelloFails(error, "begins with a TLS handshake message other than ClientHello");
  }
  const std::optional<size_t> size = HelloSize(message);
  if (!size || joined == *size) return true;
  // A client has nothing more to say until the server answers, except early data, which has
  // records of its own.
  if (joined > *size) return HelloFails(error, "has data behind the TLS ClientHello in its record");
  const size_t missing = kRecordHeader + *size - joined;
  return record_end + missing <= kMaxClientHello || HelloFails(error, kTooLong);
}

// Collects the message from its records. kDone if it is complete.
Progress JoinHelloRecords(std::string_view bytes, std::string& message, WireError& error) {
  size_t end = 0;  // of the records so far
  while (end < bytes.size()) {
    const std::string_view record = bytes.substr(end);
    if (!LooksLikeTls(record)) {
      HelloFails(error, end == 0 ? "does not begin with a TLS handshake record"
                                 : "has another TLS record, or an empty one, in its ClientHello");
      return Progress::kBad;
    }
    if (record.size() < kRecordHeader) return Progress::kNeedsMore;
    const std::string_view payload = record.substr(kRecordHeader, RecordLength(record));
    const size_t joined = message.size() + RecordLength(record);
    end += kRecordHeader + RecordLength(record);
    message += payload;
    if (!CheckHelloSize(message, joined, end, error)) return Progress::kBad;
    if (message.size() < joined) return Progress::kNeedsMore;
    if (HelloSize(message) == joined) return Progress::kDone;
  }
  return Progress::kNeedsMore;
}

// Reads the content of the server_name extension: a list, in practice and here of one name.
bool ReadServerName(std::string_view content, std::string& server_name, WireError& error) {
  ByteReader reader(content);
  std::string_view list, name;
  uint8_t type = 0;
  if (!reader.Block<uint16_t>(list) || !reader.empty()) {
    return HelloFails(error, "has a malformed TLS server name");
  }
  ByteReader entries(list);
  if (!entries.Number(type) || type != kHostName || !entries.Block<uint16_t>(name)) {
    return HelloFails(error, "has a malformed TLS server name");
  }
  if (!entries.empty()) return HelloFails(error, "has several TLS server names");
  std::optional<std::string> host = PlainWireHost(name);
  // RFC 6066 forbids addresses, and a dot at the end.
  if (!host || name.ends_with('.') || ParseAddress(*host)) {
    return HelloFails(error, "has a TLS server name that is not a host name");
  }
  server_name = *std::move(host);
  return true;
}

bool ReadHelloExtensions(std::string_view extensions, ClientHello& hello, WireError& error) {
  ByteReader reader(extensions);
  std::set<uint16_t> seen;
  while (!reader.empty()) {
    uint16_t type = 0;
    std::string_view content;
    if (!reader.Number(type) || !reader.Block<uint16_t>(content)) {
      return HelloFails(error, "has a malformed TLS extension");
    }
    if (!seen.insert(type).second) return HelloFails(error, "has a TLS extension twice");
    if (type == kEchExtension || type == kEsniExtension) hello.has_ech = true;
    if (type == kServerNameExtension && !ReadServerName(content, hello.server_name, error)) {
      return false;
    }
  }
  return true;
}

bool ReadHelloBody(std::string_view body, ClientHello& hello, WireError& error) {
  constexpr std::string_view kMalformed = "has a malformed TLS ClientHello";
  constexpr size_t kRandom = 32, kMaxSessionId = 32;
  ByteReader reader(body);
  uint16_t version = 0;
  std::string_view random, session_id, ciphers, compressions, extensions;
  if (!reader.Number(version) || version < kTls10 || version > kTls12) {
    return HelloFails(error, "has a TLS ClientHello of an unknown version");
  }
  if (!reader.Bytes(kRandom, random) || !reader.Block<uint8_t>(session_id) ||
      !reader.Block<uint16_t>(ciphers) || !reader.Block<uint8_t>(compressions) ||
      session_id.size() > kMaxSessionId || ciphers.empty() || ciphers.size() % 2 != 0 ||
      compressions.empty()) {
    return HelloFails(error, kMalformed);
  }
  if (reader.empty()) return true;  // before TLS 1.3, extensions are optional
  if (!reader.Block<uint16_t>(extensions) || !reader.empty()) return HelloFails(error, kMalformed);
  return ReadHelloExtensions(extensions, hello, error);
}

}  // namespace

bool LooksLikeTls(std::string_view bytes) {
  if (bytes.empty() || HelloByte(bytes, 0) != kHandshakeRecord) return false;
  if (bytes.size() > 1 && HelloByte(bytes, 1) != kTls10 >> 8) return false;
  if (bytes.size() > 2 && (bytes[2] < (kTls10 & 0xFF) || bytes[2] > (kTls12 & 0xFF))) return false;
  if (bytes.size() > 3 && HelloByte(bytes, 3) > kMaxRecord >> 8) return false;
  return bytes.size() < kRecordHeader ||
         (RecordLength(bytes) > 0 && RecordLength(bytes) <= kMaxRecord);
}

Progress ParseClientHello(std::string_view bytes, ClientHello& hello, WireError& error) {
  std::string message;
  const Progress joined = JoinHelloRecords(bytes, message, error);
  if (joined != Progress::kDone) return joined;
  ClientHello read;
  if (!ReadHelloBody(std::string_view(message).substr(kHelloHeader), read, error)) {
    return Progress::kBad;
  }
  hello = std::move(read);
  return Progress::kDone;
}

}  // namespace ringfence
