// The HTML page of an audit: counts, grouped reasons, and no text of an agent becomes markup.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/audit/report.h"
#include "cli/audit/report_template.h"
#include "cli/audit/statistics.h"
#include "cli/common/markup.h"
#include "cli/common/since.h"

using namespace ringfence;

namespace {

constexpr const char* kHostile = "</script></style><img src=x onerror=\"alert('1')\">&lt;{{js}}";

CellResult CellResultOf(LoggedVerdict decision, std::string tool, std::string rule) {
  CellResult result;
  result.decision = decision;
  result.tool = std::move(tool);
  result.rule = std::move(rule);
  return result;
}

CellResult Refused(const std::string& written, const std::string& path) {
  CellResult result = CellResultOf(LoggedVerdict::kDeny, "Read", "policy.json:6 /read/allow");
  result.paths = {path};
  result.reason = "ringfence: read of \"" + written +
                  "\" refused: outside the project (policy.json:6 /read/allow). Work below "
                  "\"/home/dev/project\", or ask the user to run: ringfence allow --read " +
                  path;
  return result;
}

Row RowOf(CellResult result, std::string time = "") {
  Row row;
  row.fixture.name = result.tool + " " + std::string(VerdictName(result.decision));
  row.fixture.place = {"calls.jsonl", 3};
  row.fixture.time = std::move(time);
  row.cells.push_back({0, std::move(result), ""});
  return row;
}

Matrix MatrixOf(std::vector<Row> rows) {
  Matrix matrix;
  matrix.columns = {{"policy.json", "", false}};
  matrix.rows = std::move(rows);
  return matrix;
}

size_t CountOf(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The data that the page's script renders.
OrderedJson DataOf(const std::string& page) {
  const std::string begin = "<script id=\"report\" type=\"application/json\">";
  const size_t at = page.find(begin) + begin.size();
  return OrderedJson::parse(page.substr(at, page.find("</script>", at) - at));
}

size_t Sum(const std::vector<Series>& series) {
  size_t sum = 0;
  for (const Series& one : series) sum += TotalOf(one.tally);
  return sum;
}

}  // namespace

TEST_CASE("markup: no character of a text is markup or invisible") {
  CHECK(Markup("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;");
  CHECK(Markup("\x01\n\x7f") == "\\u0001\\n\\u007f");
  CHECK(Markup("\xE2\x80\xAEtxt") == "\\u202etxt");  // reads from right to left
  CHECK(Markup("\xEF\xBB\xBF") == "\\ufeff");
  CHECK(Markup("\xFF\xC3") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(Markup("\xEF\xBF\xBE|\xEF\xBF\xBF") == "\xEF\xBF\xBD|\xEF\xBF\xBD");
  CHECK(Markup("\xC3\xA9\xF0\x9F\x98\x80") == "\xC3\xA9\xF0\x9F\x98\x80");
}

TEST_CASE("markup: a long text is truncated before it is escaped") {
  CHECK(Markup("<<<<<<<<", 5) == "&lt;&lt;...");
  CHECK(Markup("short", 5) == "short");
  CHECK(Markup(std::string(5000000, '\x01'), 100).size() == 100);
}

TEST_CASE("markup: the content of a slot is left alone") {
  const Slot slots[] = {{"a", "{{b}}"}, {"b", "two"}};
  CHECK(Fill("<{{a}}|{{b}}|{{c}}|{{", slots) == "<{{b}}|two||{{");
}

TEST_CASE("markup: digests are as a browser computes them") {
  // printf '' | openssl dgst -sha256 -binary | base64
  CHECK(PolicyHash("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
  CHECK(PolicyHash("abc") == "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
}

TEST_CASE("markup: numbers are grouped") {
  CHECK(Grouped(0) == "0");
  CHECK(Grouped(999) == "999");
  CHECK(Grouped(1234567) == "1,234,567");
  CHECK(Counted(1, "rule") == "1 rule");
  CHECK(Counted(20000, "rule") == "20,000 rules");
}

TEST_CASE("statistics: times are read strictly") {
  CHECK(UnixTime("1970-01-01T00:00:00.000Z") == 0);
  CHECK(UnixTime("2025-11-23T14:05:09.123Z") == 1763906709);
  CHECK(UnixTime("2025-11-23T14:05:09+02:00") == 1763906709 - 7200);
  CHECK(UnixTime("2025-11-23 14:05-0330") == 1763906700 + 12600);
  CHECK(DateTimeText(1763906709) == "2025-11-23 14:05");
  CHECK(DateTimeText(-1) == "1969-12-31 23:59");
  for (const char* text :
       {"", "yesterday", "2025-11-23", "2025-13-01T00:00:00Z", "2025-11-23T24:00Z",
        "2025-02-30T00:00Z", "2025-11-23T14:05:09", "2025-11-23T14:05:09Zx", "-025-11-23T14:05Z",
        "2025-1-123T14:05Z", "2025-11-23T14:05:09+2"}) {
    CAPTURE(text);
    CHECK_FALSE(UnixTime(text));
  }
}

TEST_CASE("statistics: an axis covers its times with few round intervals") {
  constexpr int64_t kTimes[] = {-62167219200, 0, 59, 86399, 1763906709, 1763906710, 253402300799};
  for (const int64_t oldest : kTimes) {
    for (const int64_t newest : kTimes) {
      if (newest < oldest) continue;
      CAPTURE(oldest);
      CAPTURE(newest);
      const TimeAxis axis = AxisFor(oldest, newest);
      CHECK(axis.spans >= 1);
      CHECK(axis.spans <= kMaxSpans);
      CHECK(axis.start <= oldest);
      CHECK(oldest < axis.start + axis.step);
      CHECK(newest < axis.start + axis.step * static_cast<int64_t>(axis.spans));
    }
  }
  CHECK(StepName(AxisFor(0, 21L * 86400).step) == "day");
  const TimeAxis weeks = AxisFor(1763906709, 1763906709 + 200L * 86400);
  CHECK(StepName(weeks.step) == "week");
  CHECK(DateText(weeks.start) == "2025-11-17");  // a Monday
}

TEST_CASE("statistics: every decision is counted once by tool, by rule and in its interval") {
  std::vector<Row> rows;
  constexpr const char* kTools[] = {"Read", "Write", ""};
  for (size_t i = 0; i < 500; ++i) {
    const auto decision = static_cast<LoggedVerdict>(i % kDecisionKinds);
    const std::string time = i % 5 == 0 ? "" : "2025-11-" + std::to_string(10 + i % 20) + "T00:00Z";
    rows.push_back(RowOf(CellResultOf(decision, kTools[i % 3], i % 7 == 0 ? "a /x" : ""), time));
  }
  const Statistics statistics = StatisticsOf(MatrixOf(std::move(rows)));
  CHECK(TotalOf(statistics.all.tally) == 500);
  CHECK(statistics.all.tally[static_cast<size_t>(LoggedVerdict::kAsk)] == 125);
  CHECK(statistics.timeless == 100);
  CHECK(Sum(statistics.tools) == 500);
  CHECK(Sum(statistics.rules) == 500);
  CHECK(Sum(statistics.columns) == 500);
  size_t in_spans = 0;
  for (const Tally& span : statistics.all.spans) in_spans += TotalOf(span);
  CHECK(in_spans == 400);
  CHECK(statistics.tools.size() == 3);
  CHECK(TotalOf(statistics.tools[0].tally) >= TotalOf(statistics.tools[2].tally));
}

TEST_CASE("statistics: the rule that decided is named with its entry") {
  CellResult result = CellResultOf(LoggedVerdict::kDeny, "Read", "policy.json:7 /read/deny");
  result.met = {{"policy.json", 6, "/read/allow", "."},
                {"policy.json", 7, "/read/deny", "@secrets"}};
  CHECK(DecidingRule(result) == "policy.json:7 /read/deny \"@secrets\"");
  result.rule = "policy.json:6 /read/allow";  // no entry: the path is outside the list
  CHECK(DecidingRule(result) == "policy.json:6 /read/allow");
  result.rule = "";
  CHECK(DecidingRule(result).empty());
  result.decision = LoggedVerdict::kPermit;
  result.met.insert(result.met.begin(), {"policy.json", 3, "/tools/allow", "Read"});
  CHECK(DecidingRule(result) == "policy.json:6 /read/allow \".\"");
}

TEST_CASE("explanation: reasons that differ only in their path are grouped") {
  const Matrix matrix =
      MatrixOf({RowOf(Refused("/etc/hosts", "/etc/hosts")), RowOf(Refused("../x", "/home/dev/x")),
                RowOf(Refused("../x", "/home/dev/x")),
                RowOf(CellResultOf(LoggedVerdict::kPermit, "Read", ""))});
  const auto found = ExplanationsOf(
      matrix,
      {[](const Cell& cell) { return cell.result.decision == LoggedVerdict::kDeny; }, false});
  REQUIRE(found.size() == 1);
  CHECK(found[0].decisions == 3);
  REQUIRE(found[0].calls.size() == 2);
  CHECK(found[0].calls[0].subject == Subject{"\"../x\"", "/home/dev/x"});
  CHECK(found[0].calls[0].decisions == 2);
  CHECK(found[0].calls[0].fixtures.size() == 2);
}

TEST_CASE("explanation: a pattern and its subject make up the whole reason") {
  const char* const kReasons[] = {"ringfence: read of \"a \\\" b\" refused: it is \"a \\\" b\".",
                                  "ringfence: read of \"x\" refused. Run: ringfence allow /etc/x",
                                  "no quotes", "\"open", ""};
  for (const char* reason : kReasons) {
    CellResult result = CellResultOf(LoggedVerdict::kDeny, "Read", "");
    result.paths = {"/etc/x"};
    result.reason = reason;
    Subject subject;
    std::string whole;
    for (const char c : PatternOf(result, subject)) {
      whole += c == kWrittenMark    ? subject.written
               : c == kResolvedMark ? subject.resolved
                                    : std::string(1, c);
    }
    CHECK(whole == reason);
  }
}

TEST_CASE("page: hostile text stays text, wherever it comes from") {
  CellResult result = CellResultOf(LoggedVerdict::kDeny, kHostile, kHostile);
  result.paths = {kHostile};
  result.reason = kHostile;
  result.met = {{kHostile, 1, kHostile, kHostile}};
  Row row = RowOf(result, kHostile);
  row.fixture.name = row.fixture.why = row.fixture.place.file = kHostile;
  row.fixture.expected.decision = LoggedVerdict::kPermit;
  row.cells[0].mismatch = kHostile;
  AuditReport report;
  report.matrix = MatrixOf({row, RowOf(CellResultOf(LoggedVerdict::kError, "x", ""))});
  report.matrix.columns = {{kHostile, kHostile, false}};
  report.matrix.rules = result.met;
  report.skipped = {kHostile};
  report.baseline = kHostile;
  report.changes = {{kHostile, kHostile, kHostile, kHostile}, {kHostile, kHostile, "", ""}};
  report.unmet = result.met;
  const std::string page = AuditHtml(report);
  CHECK(CountOf(page, "<img") == 0);
  CHECK(CountOf(page, "onerror=\"") == 0);
  CHECK(CountOf(page, "</script") == 2);
  CHECK(CountOf(page, "</style") == 1);
  CHECK(CountOf(page, "</noscript") == 1);
  CHECK(CountOf(page, std::string(kReportJs)) == 1);
  CHECK(CountOf(page, "&lt;img src=x") > 10);
  // The page's data contain it just as often, unchanged.
  CHECK(CountOf(page, "\\u003cimg src=x") > 10);
  const OrderedJson data = DataOf(page);
  CHECK(data == PageJson(report));
  CHECK(data["rows"][0]["name"] == kHostile);
  CHECK(data["rows"][0]["cells"][0]["wrong"] == "expected permit");
  CHECK(data["rows"][1]["cells"][0]["decision"] == "error");
  CHECK(data["changes"][0]["before"] == kHostile);
  CHECK(data["changes"][1]["fixture"] == kHostile);
}

TEST_CASE("page: unreadable text is escaped in the data") {
  const std::string unseen =
      "a\xE2\x80\xAE\xE2\x80\xA8\xE2\x80\xA9\x01\n\x1B\xFF\xC3\xEF\xBF\xBF<!--<script>";
  Row row = RowOf(CellResultOf(LoggedVerdict::kDeny, unseen, unseen));
  row.fixture.name = row.fixture.place.file = row.fixture.why = unseen;
  row.fixture.time = unseen;
  row.cells[0].result.reason = row.cells[0].mismatch = unseen;
  AuditReport report;
  report.matrix = MatrixOf({row});
  const std::string page = AuditHtml(report);
  CHECK(CountOf(page, "\xE2\x80\xAE") == 0);
  CHECK(CountOf(page, "\xE2\x80\xA8") == 0);
  CHECK(CountOf(page, "\x1B") == 0);
  CHECK(CountOf(page, "\xEF\xBF\xBF") == 0);
  CHECK(CountOf(page, "<!--") == 0);
  CHECK(CountOf(page, "<script") == 2);
  const std::string spelt =
      "a\\u202e\\u2028\\u2029\\u0001\\n\\u001b\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD<!--<script>";
  CHECK(DataOf(page)["rows"][0]["name"] == spelt);
  CHECK(DataOf(page)["rows"][0]["tool"] == spelt);
  CHECK(DataOf(page)["wrong"][0]["mismatch"] == spelt);
}

TEST_CASE("page: no character of the data ends a script element or a line of script") {
  const OrderedJson json{
      {"<&>", "</script>\xE2\x80\xA8\xE2\x80\xA9\xEF\xBF\xBE\xEF\xBF\xBF\xFF\\<"}};
  CHECK(ScriptJson(json) ==
        "{\"\\u003c\\u0026\\u003e\":\"\\u003c/"
        "script\\u003e\\u2028\\u2029\\ufffd\\ufffd\xEF\xBF\xBD\\\\\\u003c\"}");
}

TEST_CASE("page: only an unexpected denial is marked as wrong") {
  Row expected = RowOf(CellResultOf(LoggedVerdict::kDeny, "Read", ""));
  Row unexpected = RowOf(CellResultOf(LoggedVerdict::kDeny, "Write", ""));
  unexpected.fixture.expected.decision = LoggedVerdict::kPermit;
  unexpected.cells[0].mismatch = "it should be \"permit\"";
  AuditReport report;
  report.matrix = MatrixOf({expected, unexpected});
  const OrderedJson rows = DataOf(AuditHtml(report))["rows"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["cells"] == OrderedJson::parse(R"([{"decision": "deny", "rule": ""}])"));
  CHECK(rows[1]["cells"] == OrderedJson::parse(R"([{"decision": "deny", "rule": "",
                                                   "wrong": "expected permit"}])"));
}

TEST_CASE("page: audits of no call, of one call, and of many similar calls") {
  const std::string empty = AuditHtml({});
  CHECK(CountOf(empty, "<title>Nothing was decided - ringfence audit</title>") == 1);
  CHECK(CountOf(empty, "<h1>Nothing was decided</h1>") == 1);
  CHECK(DataOf(empty)["answer"] == "Nothing was decided");
  CHECK(CountOf(empty, "<table") == 0);
  CHECK(DataOf(empty)["rows"].empty());
  CHECK(DataOf(empty)["counts"]["spans"].empty());

  AuditReport one;
  one.matrix =
      MatrixOf({RowOf(CellResultOf(LoggedVerdict::kDeny, "Read", ""), "2025-11-23T14:05Z")});
  const OrderedJson data = DataOf(AuditHtml(one));
  CHECK(data["counts"]["spans"].size() == 1);
  CHECK(data["reasons"].size() == 1);
  CHECK(data["rows"].size() == 1);
  CHECK((data["wrong"].empty() && data["changes"].empty() && !data.contains("unmet")));

  AuditReport many;
  std::vector<Row> rows(
      50000, RowOf(CellResultOf(LoggedVerdict::kPermit, "Read", ""), "2025-11-23T14:05Z"));
  for (Row& row : rows) row.fixture.name = "calls.jsonl:3";
  rows.push_back(RowOf(CellResultOf(LoggedVerdict::kDeny, "Write", ""), "2025-11-22T14:05Z"));
  many.matrix = MatrixOf(std::move(rows));
  const std::string page = AuditHtml(many);
  CHECK(CountOf(page, "50,000") > 1);
  CHECK(DataOf(page)["rows"][0]["count"] == 50000);
  CHECK(page.size() < 100000);  // similar calls share a row
}
