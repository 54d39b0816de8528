// Reads the server name from the beginning of a TLS connection (RFC 8446, 4.1.2; RFC 6066, 3),
// without taking part in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "proxy/wire/parsed.h"

namespace ringfence {

constexpr size_t kMaxClientHello = size_t{16} * 1024;  // bytes on the wire, with record headers

struct ClientHello {
  std::string server_name;  // as sent, letters in lower case; "" if there is none
  bool has_ech = false;     // the real name would be an encrypted one (ECH, or ESNI of its drafts)
};

// True if `bytes`, at least one, can be the beginning of a TLS handshake record.
bool LooksLikeTls(std::string_view bytes);

// Reads the ClientHello at the beginning of `bytes`, which may span records and may be followed by
// others; `hello` is set on kDone. kBad for anything that is not exactly one well-formed
// ClientHello: another record or message type, data behind it in its record, lengths that do not
// agree, a doubled extension, several names, a name that is not a DNS name (an address, white
// space, NUL, a dot at the end), more than kMaxClientHello bytes, empty records, SSL 2.
Progress ParseClientHello(std::string_view bytes, ClientHello& hello, WireError& error);

}  // namespace ringfence
