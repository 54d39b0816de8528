#include "proxy/broker/opened.h"

#include "base/read_number.h"
#include "base/text.h"

namespace ringfence {

AuditEntry Opened::Entry() const {
  AuditEntry entry;
  entry.host = target();
  entry.protocol = Printable(protocol);
  entry.rule = rule;
  entry.address = address;
  entry.upstream = upstream;
  return entry;
}

std::optional<Opened> ReadQuestion(const std::vector<std::string>& fields, uint64_t& id) {
  Opened opened;
  if (fields.size() != 4 || !ReadNumber(fields[0], id) || !ReadNumber(fields[3], opened.port) ||
      opened.port == 0) {
    return {};
  }
  opened.protocol = fields[1];
  opened.host = fields[2];
  return opened;
}

AuditEntry::Rule RuleAt(const RulePlace& place) {
  return {std::string(place.file), place.line, std::string(place.pointer)};
}

}  // namespace ringfence
