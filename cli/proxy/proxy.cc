// `ringfence proxy`: what the egress proxy does now, and what it did.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

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

struct ProxySession {
  std::string name;  // the client's session; "" for none
  uint64_t sandboxes = 0;
  uint64_t open = 0, granted = 0, refused = 0;  // connections
  uint64_t up = 0, down = 0;                    // bytes
};

Result<Path> FolderOfProxy(Registration given) {
  const RealFiles disk;
  const AssumedFolder files(disk, kNowhere);
  given.project_dir = kNowhere;
  const Result<Context> context = FindTypedContext(given, files);
  if (!context) return context.error();
  return ProxyFolder(context->places);
}

// key, name, sandboxes and, once the network was used, the counts of BrokerMessage::kCounts.
ProxySession SessionIn(const std::vector<std::string>& fields) {
  ProxySession session;
  if (fields.size() > 1) session.name = fields[1];
  uint64_t* const numbers[] = {&session.sandboxes, &session.open, &session.granted,
                               &session.refused,   &session.up,   &session.down};
  for (size_t i = 0; i < std::size(numbers) && i + 2 < fields.size(); ++i) {
    ReadNumber(fields[i + 2], *numbers[i]);
  }
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
    sessions.push_back(SessionIn(message->fields));
  }
}

OrderedJson SessionJson(const ProxySession& session) {
  return {{"session", session.name},    {"sandboxes", session.sandboxes},
          {"open", session.open},       {"connections", session.granted},
          {"refused", session.refused}, {"bytes_up", session.up},
          {"bytes_down", session.down}};
}

std::string SessionText(const ProxySession& session) {
  constexpr size_t kNameWidth = 38;
  const std::string name =
      session.name.empty() ? "(no session)" : "session " + Printable(CutText(session.name, 40));
  const std::string sandboxes =
      session.sandboxes == 1 ? "1 sandbox" : Grouped(session.sandboxes) + " sandboxes";
  return Padded(name, kNameWidth) + "  " + sandboxes + ", " + std::to_string(session.open) +
         " open of " + Counted(session.granted, "connection") + ", " +
         std::to_string(session.refused) + " refused, " + SizeText(session.up) + " up, " +
         SizeText(session.down) + " down";
}

Outcome ShowStatus(const ProxyOptions& options) {
  const Result<Path> folder = FolderOfProxy(options.given);
  if (!folder) return folder.error();
  const Result<UniqueFd> proxy = ConnectToRunningProxy(*folder);
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
