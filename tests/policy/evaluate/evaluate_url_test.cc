#include "policy/evaluate/evaluate_url.h"

#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

TEST_CASE("evaluator url: web URLs by their scheme") {
  for (const std::string_view url : {"http://a", "HTTPS://a", "ws://a", "wSs://a"}) {
    CAPTURE(url);
    CHECK(IsWebUrl(url));
  }
  for (const std::string_view url : {"", "http:", "http:/a", "https:a", " http://a", "file:///a",
                                     "xhttp://a", "//a", "httpss://a"}) {
    CAPTURE(url);
    CHECK_FALSE(IsWebUrl(url));
  }
}

TEST_CASE("evaluator url: a scheme reaches a host by its own name or after a plus sign") {
  for (const std::string_view scheme : {"ssh", "git+https", "mongodb+srv", "postgres"}) {
    CAPTURE(scheme);
    CHECK(ReachesHost(scheme));
  }
  for (const std::string_view scheme : {"", "mailto", "data", "x+y", "file"}) {
    CAPTURE(scheme);
    CHECK_FALSE(ReachesHost(scheme));
  }
}

TEST_CASE("evaluator url: the port is the text's, else the scheme's, else that of https") {
  World world;
  world.User(R"("network":{"allow":["a.example:443","b.example:80","[::1]:443"]})");
  const Policy policy = world.Merged(world.EventOf("Bash", "{}"));
  const auto permits = [](const NameDecision& decision) {
    return decision.verdict == Verdict::kPermit;
  };
  for (const std::string_view url :
       {"https://a.example/x", "wss://A.example", "http://a.example:443", "http://b.example",
        "ws://b.example.", "https://[::1]/"}) {
    CAPTURE(url);
    CHECK(permits(EvaluateUrl(url, policy)));
  }
  for (const std::string_view url :
       {"http://a.example", "https://b.example", "https://a.example:80", "https://u@a.example",
        "ftp://a.example", "a.example:443"}) {
    CAPTURE(url);
    CHECK_FALSE(permits(EvaluateUrl(url, policy)));
  }
  for (const std::string_view text :
       {"a.example", "a.example:443", "A%2Eexample", "b.example:80", "[::1]"}) {
    CAPTURE(text);
    CHECK(permits(EvaluateAuthority(text, policy)));
  }
  for (const std::string_view text :
       {"a.example:80", "b.example", "a.example:x", "u@a.example", "", "::1"}) {
    CAPTURE(text);
    CHECK_FALSE(permits(EvaluateAuthority(text, policy)));
  }
}

TEST_CASE("evaluator url: the cause quotes the text as written") {
  World world;
  world.User(R"("network":{"allow":["a.example"]})");
  const Policy policy = world.Merged(world.EventOf("Bash", "{}"));
  const NameDecision unlisted = EvaluateUrl("https://B.example:8443/x", policy);
  CHECK(unlisted.cause->what == R"(connection to "https://B.example:8443/x")");
  CHECK(unlisted.cause->why == R"(the host "b.example" is not listed)");
  CHECK(EvaluateUrl("ftp://a.example", policy).cause->what == R"(connection to "ftp://a.example")");
  CHECK(EvaluateAuthority("B.example", policy).cause->what == R"(connection to "B.example")");
  CHECK(EvaluateAuthority("a.example:x", policy).cause->what == R"(connection to "a.example:x")");
}
