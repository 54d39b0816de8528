// The password of the explicit proxy, as HTTP sends it (RFC 7617).
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

// "Basic" and the base64 of "user:password".
std::string BasicCredential(std::string_view user, std::string_view password);

// Compares a credential with the right one. Takes the same time for all wrong ones
// of one length. The scheme may be in any letter case (RFC 9110, 11.1).
bool IsCredential(std::string_view sent, std::string_view right);

}  // namespace ringfence
