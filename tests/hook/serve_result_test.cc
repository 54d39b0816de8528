// What the model is told after a call.
#include "hook/serve_result.h"

#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

namespace {

// After a command in an agent's sandbox whose output is `failure`.
ResultNotes After(const std::string& failure, std::optional<std::vector<UnreachedHost>> unreached) {
  const World world;
  Event event = world.EventOf("Bash", R"({"command":"x"})");
  event.failure = failure;
  const Policy policy = world.Merged(event);
  const CachedFiles files(world.files);
  return TellResult(event, {policy, world.places, files},
                    {.sandbox = ProgramSandbox::kAgents, .unreached = std::move(unreached)});
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kNames = "curl: (6) Could not resolve host: evil.example";
constexpr const char* kReset = "curl: (35) Recv failure: Connection reset by peer";
constexpr const char* kChosen = "A program chose that host";
constexpr const char* kTellUser = "Tell the user what was refused";

}  // namespace

TEST_CASE("result: in an agent's sandbox, its launcher knows which hosts were refused") {
  const std::string sentence = "connection to \"evil.example:443\" refused: it is not listed.";
  const ResultNotes told = After(kReset, {{{true, "evil.example:443", sentence}}});
  CHECK(Has(told.model, "ringfence: " + sentence + "\n"));
  CHECK(Has(told.model, kTellUser));
  CHECK_FALSE(Has(told.model, kChosen));
  REQUIRE(told.alerts.size() == 1);
  CHECK(told.alerts[0].request.named == Named{Named::Kind::kHost, "evil.example:443"});
}

TEST_CASE("result: a host that the user can permit is one that a program chose") {
  const ResultNotes told =
      After(kReset, {{{true, "evil.example:443", "Ask for `ringfence allow evil.example`."}}});
  CHECK(Has(told.model, kChosen));
}

TEST_CASE("result: hosts beside a path, and a connection without a name") {
  const std::string fix = "Ask for `ringfence allow a.example`.";
  const ResultNotes told = After("touch: cannot touch '/etc/x': Permission denied",
                                 {{{true, "a.example:443", fix},
                                   {true, "b.example:443", fix},
                                   {true, "", "a connection was refused: it names nothing"}}});
  CHECK(Has(told.model, "write to \"/etc/x\" refused"));
  CHECK(Has(told.model, "it names nothing"));
  CHECK(Has(told.model, kChosen));
  CHECK(told.alerts.size() == 3);
}

TEST_CASE("result: after a success, the user need not hear of a refused host") {
  const ResultNotes told =
      After("", {{{true, "evil.example:443", "Ask for `ringfence allow evil.example`."}}});
  CHECK(Has(told.model, kChosen));
  CHECK_FALSE(Has(told.model, kTellUser));
}

TEST_CASE("result: a permitted host that failed is explained, and nothing was refused") {
  const ResultNotes told =
      After(kReset, {{{false, "good.example:443", "connection failed: it does not resolve"}}});
  CHECK(Has(told.model, "it does not resolve"));
  CHECK_FALSE(Has(told.model, kTellUser));
  CHECK(told.alerts.empty());
}

TEST_CASE("result: a host in the output counts only if the launcher does not know") {
  CHECK(After(kNames, std::vector<UnreachedHost>()).model.empty());
  CHECK(Has(After(kNames, {}).model, "connection to \"evil.example\" refused"));
}
