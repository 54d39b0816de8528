#include "tests/support/policy_text.h"

#include <sstream>

#include "base/text.h"
#include "policy/rules/sets.h"

namespace ringfence {
namespace {

class Writer {
 public:
  explicit Writer(bool places) : places_(places) {}

  std::string Take() { return out_.str(); }

  void File(const PolicyFile& file) {
    out_ << "git " << file.root_is_git << '\n';
    All(file.sections);
    for (const Profile& profile : file.profiles) {
      out_ << "profile " << JsonString(profile.name) << '\n';
      if (profile.when) Condition(*profile.when);
      All(profile.sections);
    }
  }

 private:
  void Place(const RulePlace& place) {
    out_ << ' ' << place.pointer;
    if (places_) out_ << ':' << place.line;
    out_ << '\n';
  }

  void Text(std::string_view name, const std::optional<std::string_view>& text) {
    if (text) out_ << name << ' ' << JsonString(*text) << '\n';
  }

  template <typename T>
  void Number(std::string_view name, const std::optional<T>& number) {
    if (number) out_ << name << ' ' << *number << '\n';
  }

  template <typename T>
  void Choice(std::string_view name, const std::optional<T>& choice) {
    if (choice) out_ << name << ' ' << static_cast<int>(*choice) << '\n';
  }

  void Texts(std::string_view name, const std::optional<std::vector<std::string_view>>& texts) {
    if (!texts) return;
    out_ << name;
    for (const std::string_view text : *texts) out_ << ' ' << JsonString(text);
    out_ << '\n';
  }

  void Rule(const PathRule& rule) {
    out_ << JsonString(rule.written()) << static_cast<int>(rule.base) << JsonString(rule.tail)
         << rule.has_pattern << SetText(rule.set);
    Place(rule.place());
  }
  void Rule(const NameRule& rule) {
    out_ << JsonString(rule.pattern) << static_cast<int>(rule.set);
    Place(rule.place);
  }
  void Rule(const HostRule& rule) {
    out_ << JsonString(rule.written) << rule.host << rule.subdomains << rule.any << rule.port
         << rule.wide;
    Place(rule.place);
  }
  void Rule(const PrivateRule& rule) {
    Rule(rule.host);
    for (const AddressRange& range : rule.ranges) out_ << ' ' << AddressRangeText(range);
    out_ << '\n';
  }

  template <typename T>
  void Rules(std::string_view name, const std::optional<std::vector<T>>& rules) {
    if (!rules) return;
    out_ << name << '\n';
    for (const T& rule : *rules) Rule(rule);
  }

  template <typename T>
  void Lists(std::string_view name, const T& lists) {
    Rules(std::string(name) + ".allow", lists.allow);
    Rules(std::string(name) + ".ask", lists.ask);
    Rules(std::string(name) + ".deny", lists.deny);
  }

  void Condition(const When& when) {
    Text("agent_type", when.agent_type);
    Number("subagent", when.subagent);
    Text("permission_mode", when.permission_mode);
    if (when.root) Rule(*when.root);
  }

  void All(const Sections& all) {
    Lists("tools", all.tools);
    Lists("read", all.read);
    Lists("write", all.write);
    if (all.network) {
      Rules("network.allow", all.network->allow);
      Rules("network.deny", all.network->deny);
      Rules("network.inspect", all.network->inspect);
      Rules("network.private", all.network->private_rules);
      Choice("network.unlisted", all.network->unlisted);
    }
    for (const McpFields& fields : all.mcp) {
      Texts("mcp " + std::string(fields.tool) + " read", fields.read);
      Texts("mcp " + std::string(fields.tool) + " write", fields.write);
    }
    out_ << "alerts " << all.has_alerts << '\n';
    for (const auto& [key, value] : all.alert_fields) {
      out_ << "  " << JsonString(key) << JsonString(value) << '\n';
    }
    for (const KeyValue& value : all.keys) {
      out_ << value.row->name << ' ' << value.number << ' ' << JsonString(value.text);
      Texts("", value.texts);
      if (value.row->keeps_place) Place(value.place());
    }
  }

  bool places_;
  std::ostringstream out_;
};

}  // namespace

std::string PolicyText(const PolicyFile& file, bool places) {
  Writer writer(places);
  writer.File(file);
  return writer.Take();
}

}  // namespace ringfence
