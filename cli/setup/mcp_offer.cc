#include "cli/setup/mcp_offer.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/process.h"
#include "base/program.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/common/ask.h"
#include "cli/common/console.h"
#include "cli/common/policies.h"
#include "policy/evaluate/evaluate_path.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/evaluate/fix.h"
#include "policy/load/layers.h"

namespace ringfence {
namespace {

// True if the policy allows the server's tools, tested with an invented one.
bool IsAllowed(const std::string& part, const Policy& policy) {
  return EvaluateTool("mcp__" + part + "__any", policy).verdict != Verdict::kDeny;
}

McpOffer OfferOf(const McpServer& server, const McpOfferQuestion& question) {
  McpOffer offer{.server = server};
  offer.arguments = {"allow", "mcp__" + server.part + "__*"};
  const auto add = [&offer](const char* option, const std::string& value) {
    if (!value.empty()) offer.arguments.insert(offer.arguments.end(), {option, value});
  };
  add("--home", question.home);
  add("--project", question.project);
  add("--policy", question.policy);
  offer.command = "ringfence";
  for (const std::string& argument : offer.arguments) {
    const std::string word = ShellWord(argument);
    offer.command += " " + (word.empty() && !argument.empty() ? argument : word);
  }
  return offer;
}

Status Allow(const McpOffer& offer) {
  const Result<std::string> program = OwnProgramReal();
  if (!program) return program.error();
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.emplace_back(*variable);
  }
  const Result<Finished> done = Run(
      {.program = *program, .arguments = offer.arguments, .environment = environment, .input = ""});
  if (!done) return done.error();
  if (done->exit_status != 0) {
    return Error{Error::Kind::kSystem, offer.command, std::string(TrimSpace(done->err)), ""};
  }
  Console().Line(std::string(TrimSpace(done->out)));
  return Unit{};
}

}  // namespace

Result<std::vector<McpOffer>> McpOffers(const McpOfferQuestion& question) {
  std::vector<McpOffer> offers;
  const std::vector<McpServer> servers = McpServersOf(question.where);
  if (servers.empty()) return offers;
  BorrowedProject borrowed;
  Registration typed = question.where;
  typed.policy = question.policy;
  const Result<Context> context = borrowed.Find(typed);
  if (!context) return context.error();
  const Result<Policy> policy = context->PolicyFor();
  if (!policy) return policy.error();
  for (const McpServer& server : servers) {
    offers.push_back(OfferOf(server, question));
    offers.back().is_allowed = IsAllowed(server.part, *policy);
  }
  return offers;
}

Status OfferMcpServers(const McpOfferQuestion& question) {
  const Result<std::vector<McpOffer>> offers = McpOffers(question);
  if (!offers) return offers.error();
  const Console console;
  const Terminal terminal;
  bool asks = question.may_ask && terminal.can_ask();
  for (const McpOffer& offer : *offers) {
    if (offer.is_allowed) continue;
    const std::string what =
        "MCP server " + Quote(offer.server.name) + " (" + Printable(offer.server.source) + ")";
    if (!asks) {
      console.Line(what + " is not allowed. To allow it: " + offer.command);
      continue;
    }
    const UserReply reply = terminal.Ask("Allow the agent to use the " + what + "?");
    asks = reply != UserReply::kInterrupted;
    if (reply != UserReply::kYes) {
      console.Line("Not allowed. To allow it later: " + offer.command);
    } else if (Status s = Allow(offer); !s) {
      return s;
    }
  }
  return Unit{};
}

OrderedJson ToJson(const std::vector<McpOffer>& offers) {
  OrderedJson json = OrderedJson::array();
  for (const McpOffer& offer : offers) {
    json.push_back({{"name", offer.server.name},
                    {"source", offer.server.source},
                    {"allowed", offer.is_allowed},
                    {"command", offer.command}});
  }
  return json;
}

}  // namespace ringfence
