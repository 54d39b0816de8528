#include "policy/load/alert_rules.h"

#include <algorithm>

namespace ringfence {
namespace {

struct Alerts {
  std::optional<bool> enabled;
  std::optional<std::string_view> inbox;
  AlertFields fields;
};

void PutOver(Alerts& alerts, const Alerts& over) {
  if (over.enabled) alerts.enabled = over.enabled;
  if (over.inbox) alerts.inbox = over.inbox;
  for (const auto& [name, value] : over.fields) {
    const auto old = std::ranges::find(alerts.fields, name, &AlertFields::value_type::first);
    if (old == alerts.fields.end()) {
      alerts.fields.emplace_back(name, value);
    } else {
      old->second = value;
    }
  }
}

Alerts Merged(const std::vector<const Sections*>& all) {
  Alerts merged;
  for (const Sections* sections : all) {
    const KeyValues& keys = sections->keys;
    PutOver(merged, {keys.Get<bool>("alerts.enabled"), keys.Get<std::string_view>("alerts.inbox"),
                     sections->alert_fields});
  }
  return merged;
}

}  // namespace

AlertRules AlertsOf(const std::vector<const Sections*>& trusted,
                    const std::vector<const Sections*>& managed) {
  Alerts alerts = Merged(trusted);
  Alerts demanded = Merged(managed);
  if (demanded.inbox && demanded.enabled != false) {
    demanded.enabled = true;
    PutOver(alerts, demanded);
  }
  if (!alerts.inbox || alerts.enabled == false) return {};
  return {.inbox = *alerts.inbox, .fields = std::move(alerts.fields)};
}

}  // namespace ringfence
