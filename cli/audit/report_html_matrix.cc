// The verdict matrix as a table, in pieces; the page's script makes pages and filters of them.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/audit/explanation.h"
#include "cli/audit/markup.h"
#include "cli/audit/report_html_parts.h"

namespace ringfence {
namespace {

constexpr size_t kMaxCell = 160;
constexpr size_t kMaxCellPath = 300;
constexpr size_t kRowsAtOnce = 200;

// By fixture and column: what it was in the baseline.
using Before = std::map<std::pair<std::string, std::string>, std::string>;

Before BeforeOf(const AuditReport& report) {
  Before before;
  for (const BaselineChange& change : report.changes) {
    before[{change.fixture, change.under}] =
        change.before.empty() ? "new" : "was " + change.before.substr(0, change.before.find(' '));
  }
  return before;
}

class MatrixWriter {
 public:
  MatrixWriter(const AuditReport& report, const RuleAnchors& anchors)
      : matrix_(report.matrix), anchors_(anchors), before_(BeforeOf(report)) {
    for (const Column& column : matrix_.columns) labels_.push_back(column.label());
    folder_ = CommonFolder(matrix_.rows);
  }

  std::string Run() const {
    std::vector<std::string> rows;
    for (const Group& group : Grouped()) rows.push_back(RowHtml(group));
    const std::string begin =
        "<div class=\"scroll matrix\" role=\"region\" aria-label=\"Rows of the matrix\" "
        "tabindex=\"0\">"
        "<table><caption>Each fixture under each policy and profile" +
        (folder_.empty() ? "" : "; names are below " + Markup(folder_, kMaxCellPath)) +
        "</caption>" + Head() + "<tbody>";
    return PiecesHtml({begin, "</tbody></table></div>", "row", kRowsAtOnce}, rows);
  }

 private:
  // Rows that differ in nothing but when they happened.
  struct Group {
    const Row* row;
    size_t count;
  };

  std::vector<Group> Grouped() const {
    std::vector<Group> groups;
    std::map<std::string, size_t> places;
    for (const Row& row : matrix_.rows) {
      const auto [found, is_new] = places.try_emplace(KeyOf(row), groups.size());
      if (is_new) groups.push_back({&row, 0});
      ++groups[found->second].count;
    }
    return groups;
  }

  // What has a name of its own stays a row of its own.
  std::string KeyOf(const Row& row) const {
    const Fixture& fixture = row.fixture;
    const std::string place = fixture.place.file + ":" + std::to_string(fixture.place.line);
    const bool is_recorded = !fixture.time.empty() && fixture.name == place;
    if (!is_recorded || row.cells.empty()) return std::to_string(&row - matrix_.rows.data());
    std::string key = std::string(1, '\n') + fixture.expected.decision;
    for (const Cell& cell : row.cells) {
      key += "\n" + std::to_string(cell.column) + cell.ruling.decision + "\n" + cell.ruling.tool +
             "\n" + DecidingRule(cell.ruling) + "\n" + PathOf(cell) + "\n" + cell.mismatch + "\n" +
             StateBefore(fixture, cell);
    }
    return key;
  }

  std::string StateBefore(const Fixture& fixture, const Cell& cell) const {
    if (before_.empty()) return "";
    const auto found = before_.find({fixture.name, labels_[cell.column]});
    return found == before_.end() ? "" : found->second;
  }

  // Where the call led, or else what it named.
  static std::string PathOf(const Cell& cell) {
    if (!cell.ruling.paths.empty()) return cell.ruling.paths.front();
    Subject subject;
    PatternOf(cell.ruling, subject);
    const std::string& written = subject.written;
    const std::string name = written.empty() ? "" : written.substr(1, written.size() - 2);
    return name == cell.ruling.tool ? "" : name;
  }

  // "captured/", where all names begin with it.
  static std::string CommonFolder(const std::vector<Row>& rows) {
    std::string_view common = rows.front().fixture.name;
    for (const Row& row : rows) {
      const std::string& name = row.fixture.name;
      const auto [end, other] = std::ranges::mismatch(common, name);
      common = common.substr(0, static_cast<size_t>(end - common.begin()));
    }
    const size_t slash = common.rfind('/');
    return slash == std::string_view::npos ? "" : std::string(common.substr(0, slash + 1));
  }

  std::string Head() const {
    std::string out = "<thead><tr><th scope=\"col\">fixture</th>";
    for (size_t i = 0; i < labels_.size(); ++i) {
      out += "<th scope=\"col\">";
      if (labels_.size() > 1) out += "[" + std::to_string(i + 1) + "] ";
      // The numbers and whole names are at the top of the page.
      Column shortened = matrix_.columns[i];
      shortened.policy.erase(0, shortened.policy.rfind('/') + 1);
      out += Markup(shortened.label(), kMaxCell) + "</th>";
    }
    return out + "<th scope=\"col\">tool</th><th scope=\"col\">path</th></tr></thead>";
  }

  std::string RowHtml(const Group& group) const {
    const Row& row = *group.row;
    const Fixture& fixture = row.fixture;
    std::string out =
        "<tr><th scope=\"row\">" + Markup(fixture.name.substr(folder_.size()), kMaxCell);
    if (group.count > 1) out += " <small>\xC3\x97" + ringfence::Grouped(group.count) + "</small>";
    out += "</th>";
    std::vector<std::string> cells(labels_.size(), "<td>\xE2\x80\x93</td>");
    for (const Cell& cell : row.cells) cells[cell.column] = CellHtml(fixture, cell);
    for (const std::string& cell : cells) out += cell;
    if (row.cells.empty()) return out + "<td></td><td></td></tr>";
    const Cell& first = row.cells.front();
    return out + "<td>" + Markup(first.ruling.tool, kMaxCell) + "</td><td>" +
           Markup(PathOf(first), kMaxCellPath) + "</td></tr>";
  }

  std::string CellHtml(const Fixture& fixture, const Cell& cell) const {
    const std::string decision(kDecisions[DecisionIndex(cell.ruling.decision)]);
    std::string out =
        "<td class=\"" + decision + "\"" + (cell.mismatch.empty() ? ">" : " data-wrong>");
    const auto anchor = anchors_.find(DecidingRule(cell.ruling));
    const bool has_link = decision != "permit" && anchor != anchors_.end();
    out += has_link ? "<a href=\"#" + anchor->second + "\">" + decision + "</a>" : decision;
    if (!cell.mismatch.empty()) {
      const std::string& wanted = fixture.expected.decision;
      out += wanted != cell.ruling.decision ? " <b>expected " + Markup(wanted) + "</b>"
                                            : " <b>not as expected</b>";
    }
    const std::string before = StateBefore(fixture, cell);
    if (!before.empty()) out += " <b>" + Markup(before, kMaxCell) + "</b>";
    return out + "</td>";
  }

  const Matrix& matrix_;
  const RuleAnchors& anchors_;
  Before before_;
  std::vector<std::string> labels_;
  std::string folder_;
};

}  // namespace

std::string MatrixHtml(const AuditReport& report, const RuleAnchors& anchors) {
  if (report.matrix.rows.empty()) return "<p>There is no fixture.</p>";
  return MatrixWriter(report, anchors).Run();
}

}  // namespace ringfence
