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

void KnownConnections::Add(uint64_t id, const Opened& opened) {
  constexpr size_t kMaxPlaces = 1024;  // a session has no more connections
  if (places_.size() == kMaxPlaces) places_.erase(places_.begin());
  places_[id] = {opened.target(), opened.address, opened.upstream};
}

void KnownConnections::Complete(Opened& request) const {
  const auto place = places_.find(request.connection);
  if (place == places_.end() || place->second.target != request.target()) return;
  request.address = place->second.address;
  request.upstream = place->second.upstream;
}

std::optional<Opened> ReadQuestion(const std::vector<std::string>& fields, uint64_t& id) {
  Opened opened;
  const size_t count = fields.size();
  if ((count != 4 && count != 5) || !ReadNumber(fields[0], id) ||
      !ReadNumber(fields[3], opened.port) || opened.port == 0 ||
      (count == 5 && !ReadNumber(fields[4], opened.connection))) {
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
