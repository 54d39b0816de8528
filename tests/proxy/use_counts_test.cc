#include "proxy/broker/use_counts.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/message_socket.h"

using namespace ringfence;

using Fields = std::vector<std::string>;

TEST_CASE("use counts: the total, and each host") {
  UseCounts counts;
  CHECK(counts.Fields(0) == Fields{"0", "0", "0", "0", "0"});
  counts.Granted("b.example:443");
  counts.Granted("b.example:443");
  counts.Refused("a.example:80");
  counts.Refused("");
  counts.Ended("b.example:443", 10, 200);
  counts.Ended("b.example:443", 1, 2);
  CHECK(counts.Fields(1) == Fields{"1", "2", "2", "11", "202",          //
                                   "a.example:80", "0", "1", "0", "0",  //
                                   "b.example:443", "2", "0", "11", "202"});
}

TEST_CASE("use counts: refused hosts, however many, hide none that is reached") {
  UseCounts counts;
  for (int i = 0; i < 1000; ++i) counts.Refused(std::to_string(i) + ".bad.example:443");
  counts.Granted("good.example:443");
  counts.Refused("good.example:443");
  const Fields fields = counts.Fields(1);
  const auto at = std::ranges::find(fields, "good.example:443");
  REQUIRE(fields.end() - at > 5);
  CHECK(Fields(at + 1, at + 5) == Fields{"1", "1", "0", "0"});
  CHECK(fields[fields.size() - 5] == "other hosts");
}

TEST_CASE("use counts: however many hosts there are, they fit into a message") {
  UseCounts counts;
  for (int i = 0; i < 1000; ++i) {
    const std::string host = std::to_string(i) + std::string(2000, 'x') + "\n:65535";
    counts.Granted(host);
    counts.Ended(host, ~uint64_t{0}, ~uint64_t{0});
  }
  const Fields fields = counts.Fields(1000);
  CHECK(fields[1] == "1000");
  CHECK(fields[fields.size() - 5] == "other hosts");
  size_t size = 0;
  for (const std::string& field : fields) size += field.size() + 1;
  CHECK(size < kMaxSocketMessage - 1000);  // the parent adds the session's name
}
