// `ringfence proxy`: what the egress proxy does now, and what it did.
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/message_socket.h"
#include "base/read_number.h"
#include "base/text.h"
#include "cli/command_line/command.h"
#include "cli/command_line/options.h"
#include "cli/common/assumed_folder.h"
#include "cli/common/console.h"
#include "policy/files/real_files.h"
#include "proxy/link/control.h"
#include "proxy/link/messages.h"
#include "run/typed_context.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

struct ProxyOptions {
  Registration given;
  bool json = false;
};

struct NetworkUse {
  uint64_t granted = 0, refused = 0;  // connections
  uint64_t up = 0, down = 0;          // bytes
};

struct HostUse {
  std::string host;  // with its port
  NetworkUse use;
};

struct ProxySession {
  std::string name;  // the client's session; "" for none
  uint64_t sandboxes = 0;
  uint64_t open = 0;  // connections
  NetworkUse use;
  std::vector<HostUse> hosts;
};

Result<Path> FolderOfProxy(Registration given) {
  const RealFiles disk;
  const AssumedFolder files(disk, kNowhere);
  given.project_dir = kNowhere;
  const Result<Context> context = FindTypedContext(given, files);
  if (!context) return context.error();
  return ProxyFolder(context->places);
}

// Takes fields off the front.
class FieldReader {
 public:
  explicit FieldReader(const std::vector<std::string>& fields) : rest_(fields) {}

  bool is_empty() const { return rest_.empty(); }
  std::string Text() {
    if (rest_.empty()) return "";
    const std::string& text = rest_.front();
    rest_ = rest_.subspan(1);
    return text;
  }
  uint64_t Number() {
    uint64_t number = 0;
    return ReadNumber(Text(), number) ? number : 0;
  }
  NetworkUse Use() {
    return {.granted = Number(), .refused = Number(), .up = Number(), .down = Number()};
  }

 private:
  std::span<const std::string> rest_;
};

// key, name, sandboxes and, once the network was used, the fields of BrokerMessage::kCounts.
ProxySession SessionIn(const std::vector<std::string>& fields) {
  FieldReader reader(fields);
  reader.Text();
  ProxySession session;
  session.name = reader.Text();
  session.sandboxes = reader.Number();
  session.open = reader.Number();
  session.use = reader.Use();
  while (!reader.is_empty()) session.hosts.push_back({reader.Text(), reader.Use()});
  return session;
}

Result<std::vector<ProxySession>> AskForSessions(const UniqueFd& proxy) {
  const char status = static_cast<char>(LauncherMessage::kStatus);
  if (Status s = SendSocketMessage(proxy.get(), status, {}); !s) return s.error();
  std::vector<ProxySession> sessions;
  for (;;) {
    const Result<SocketMessage> message = ReceiveSocketMessage(proxy.get());
    if (!message) return message.error();
    if (message->type != static_cast<char>(LauncherMessage::kSessionStatus)) return sessions;
    ProxySession session = SessionIn(message->fields);
    // The network of sandboxes that have ended is kept for a few seconds.
    if (session.sandboxes > 0) sessions.push_back(std::move(session));
  }
}

void AddUse(OrderedJson& json, const NetworkUse& use) {
  json["connections"] = use.granted;
  json["refused"] = use.refused;
  json["bytes_up"] = use.up;
  json["bytes_down"] = use.down;
}

OrderedJson HostJson(const HostUse& host) {
  OrderedJson json{{"host", host.host}};
  AddUse(json, host.use);
  return json;
}

OrderedJson SessionJson(const ProxySession& session) {
  OrderedJson json{
      {"session", session.name}, {"sandboxes", session.sandboxes}, {"open", session.open}};
  AddUse(json, session.use);
  json["hosts"] = JsonArray(session.hosts, HostJson);
  return json;
}

// "2 connections, 1 refused, 3 KiB up, 4 MiB down", without what did not happen.
std::string UseText(const NetworkUse& use) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (use.granted > 0) add(Counted(use.granted, "connection"));
  if (use.refused > 0) add(std::to_string(use.refused) + " refused");
  if (use.up + use.down > 0) add(SizeText(use.up) + " up, " + SizeText(use.down) + " down");
  return text.empty() ? "no connection yet" : text;
}

std::string SessionText(const ProxySession& session) {
  constexpr size_t kNameWidth = 38;
  const std::string name =
      session.name.empty() ? "(no session)" : "session " + Printable(CutText(session.name, 40));
  const std::string sandboxes =
      session.sandboxes == 1 ? "1 sandbox" : Grouped(session.sandboxes) + " sandboxes";
  std::string text = Padded(name, kNameWidth) + "  " + sandboxes + ", " +
                     std::to_string(session.open) + " open; " + UseText(session.use);
  for (const HostUse& host : session.hosts) {
    text += "\n  " + Padded(Printable(host.host), kNameWidth) + UseText(host.use);
  }
  return text;
}

bool IsNotRunning(const Error& error) { return error.code == ENOENT || error.code == ECONNREFUSED; }

// In a sandbox it may run or not.
Error Unseen(Error error) {
  if (!Variable("RINGFENCE_SANDBOX").empty()) {
    error.what = "cannot be seen in a sandbox";
    error.hint = "run this command outside of it";
  }
  error.where = "the egress proxy";
  return error;
}

Outcome ShowStatus(const ProxyOptions& options) {
  const Result<Path> folder = FolderOfProxy(options.given);
  if (!folder) return folder.error();
  const Result<UniqueFd> proxy = ConnectToRunningProxy(*folder);
  if (!proxy && !IsNotRunning(proxy.error())) return Unseen(proxy.error());
  std::vector<ProxySession> sessions;
  if (proxy) {
    if (Status s = AskForSessions(*proxy).MoveTo(sessions); !s) return s.error();
  }
  if (options.json) {
    PrintJson({{"running", proxy.has_value()}, {"sessions", JsonArray(sessions, SessionJson)}});
    return 0;
  }
  const Console console;
  if (!proxy) {
    console.Line("the egress proxy does not run: it starts with a sandbox that has a network");
  } else if (sessions.empty()) {
    console.Line("the egress proxy runs, and no sandbox uses it");
  }
  for (const ProxySession& session : sessions) console.Line(SessionText(session));
  return 0;
}

constexpr const char* kProxyExamples =
    "  ringfence proxy status       (or just: ringfence proxy)\n"
    "  ringfence proxy log --follow";

constexpr const char* kStatusExamples =
    "  ringfence proxy status\n"
    "  ringfence proxy status --json | jq '.sessions[].refused'";

void AddStatus(Command& proxy, Action& chosen) {
  Command command =
      AddCommand(proxy, "status", "Show the sessions, and what each has used", kStatusExamples);
  const auto options = std::make_shared<ProxyOptions>();
  AddCommonOptions(command, options->given, options->json);
  command.OnGiven([options, &chosen] { chosen = [options] { return ShowStatus(*options); }; });
}

}  // namespace

void AddProxy(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "proxy", "Show what sandboxes reach in the network", kProxyExamples);
  AddStatus(command, chosen);
  AddConnectionLog(command, chosen);
  command.MayHaveCommand();
  command.OnGiven([command, &chosen] {
    if (!command.has_command()) chosen = [] { return ShowStatus({}); };
  });
}

}  // namespace ringfence
