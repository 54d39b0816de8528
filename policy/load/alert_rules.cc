#include "policy/load/alert_rules.h"

#include <algorithm>

namespace ringfence {
namespace {

void PutOver(AlertSection& section, const AlertSection& over) {
  if (over.enabled) section.enabled = over.enabled;
  if (over.inbox) section.inbox = over.inbox;
  for (const auto& [name, value] : over.fields) {
    const auto old = std::ranges::find(section.fields, name, &AlertFields::value_type::first);
    if (old == section.fields.end()) {
      section.fields.emplace_back(name, value);
    } else {
      old->second = value;
    }
  }
}

AlertSection Merged(const std::vector<const Sections*>& all) {
  AlertSection merged;
  for (const Sections* sections : all) PutOver(merged, sections->alerts);
  return merged;
}

}  // namespace

AlertRules AlertsOf(const std::vector<const Sections*>& trusted,
                    const std::vector<const Sections*>& managed) {
  AlertSection section = Merged(trusted);
  AlertSection demanded = Merged(managed);
  if (demanded.inbox && demanded.enabled != false) {
    demanded.enabled = true;
    PutOver(section, demanded);
  }
  if (!section.inbox || section.enabled == false) return {};
  return {.inbox = *section.inbox, .fields = std::move(section.fields)};
}

}  // namespace ringfence
