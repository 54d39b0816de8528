// Renders the page from the JSON document in it. Text stays text: nothing here parses markup, and
// no attribute can be a script or an external address.
const report = JSON.parse(document.getElementById("report").textContent);
const KINDS = ["permit", "ask", "deny", "error"];

const make = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.flat(Infinity).filter((child) => child !== "" && child !== undefined));
  return made;
};
const number = (count) => count.toLocaleString("en");
const counted = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;
const code = (text) => make("code", {}, text);
const decision = (kind) => make("span", { class: `decision ${kind}` }, kind);
const total = (tally) => tally.reduce((sum, count) => sum + count);
// Marks up only times that the C++ code could parse.
const time = (text) => (/^[\d-]+ \d\d:\d\d$/.test(text) ? make("time", {}, text) : text);
const headings = (cells) =>
  make("thead", {}, make("tr", {}, cells.map((cell) => make("th", { scope: "col" }, cell))));
const line = (head, ...cells) => make("tr", {}, make("th", { scope: "row" }, head), cells);
const cell = (...content) => make("td", {}, content);
// Content wider than the page scrolls separately.
const scroll = (label, content, more = "") =>
  make("div", { class: `scroll${more}`, role: "region", "aria-label": label, tabindex: "0" }, content);

// Splits a long list into pieces that the reader opens one at a time; the first is open.
const pieces = (word, items, wrap, size = 200) => {
  const made = [];
  for (let first = 0; first < items.length; first += size) {
    const part = items.slice(first, first + size);
    const which = `${word}s ${number(first + 1)} to ${number(first + part.length)} of ${number(items.length)}`;
    made.push(first === 0 ? wrap(part)
      : make("details", { class: "piece" }, make("summary", {}, which), wrap(part)));
  }
  return made;
};
const plainList = (word, items) => pieces(word, items, (part) =>
  make("ul", { class: "plain" }, part.map((item) => make("li", {}, item))));

// --- page header ---

const lede = () => {
  const { counts, baseline, demanding, fixtures } = report;
  const columns = report.labels.length;
  const parts = [`${counted(fixtures, "fixture")}, ${counted(report.decisions, "decision")} under ` +
    (columns === 1 ? "one policy" : `${number(columns)} policies and profiles`)];
  if (counts.oldest) parts.push(", from ", time(counts.oldest), " to ", time(counts.newest), " UTC");
  parts.push(".");
  if (baseline) parts.push(` Compared with ${baseline}.`);
  if (demanding !== 0 && demanding !== fixtures) {
    parts.push(` ${counted(demanding, "fixture")} ${demanding === 1 ? "says" : "say"} what should be decided.`);
  }
  return make("p", { class: "lede" }, parts);
};

const figures = () => {
  const figure = (name, count, isBad = false) =>
    make("div", isBad ? { class: "bad" } : {}, make("dt", {}, name), make("dd", {}, number(count)));
  const { mismatches, changes, unmet } = report;
  const made = KINDS.map((kind, i) => figure(decision(kind), report.counts.all.tally[i]));
  made.push(figure("not as expected", mismatches, mismatches !== 0));
  if (report.baseline) made.push(figure("changed", changes.length, changes.length !== 0));
  if (unmet) made.push(figure("rules never met", unmet.length));
  return make("dl", { class: "figures" }, made);
};

const head = (links) => {
  const { labels, skipped } = report;
  // Opens the list of columns if it is short.
  const columns = make("details", labels.length <= 4 ? { open: "" } : {},
    make("summary", {}, "Decided under"),
    make("ol", { class: "columns" }, labels.map((label) => make("li", {}, code(label)))));
  const made = [lede(), figures(), columns];
  if (skipped.length !== 0) {
    made.push(make("details", {}, make("summary", {},
      `${counted(skipped.length, "event")} left out, because nothing is decided about them`),
    plainList("event", skipped)));
  }
  return [...made, make("nav", { "aria-label": "Contents" }, make("ul", {}, links))];
};

// --- reasons, changes and unmet rules ---

// The reason, with each mark replaced by the subject, or by a placeholder if there are several
// calls.
const told = (explanation) => {
  const only = explanation.calls.length === 1 ? explanation.calls[0] : null;
  return explanation.told.split(/([\x01\x02])/).map((text) => {
    if (text === "\x01") return only ? only.written : make("var", {}, "this");
    if (text === "\x02") return only ? only.path : make("var", {}, "its path");
    return text.replaceAll("\n", "\\n");
  });
};

const fixtureItem = (fixture) => {
  const parts = [code(fixture.place)];
  if (fixture.name) parts.unshift(make("b", {}, fixture.name), " ");
  if (fixture.time) parts.push(" ", time(fixture.time));
  if (fixture.why) parts.push(" ", make("q", {}, fixture.why));
  return [make("li", fixture.why ? {} : { class: "brief" }, parts), " "];
};

const MOST_FIXTURES = 5;  // named for each call

const callItem = ({ tool, written, path, decisions, columns, fixtures }) => {
  const parts = [make("b", { class: "tool" }, tool)];
  const span = (kind, ...content) => parts.push(" ", make("span", { class: kind }, content));
  if (written) parts.push(" ", code(written));
  if (path && written !== `"${path}"`) span("leads", "leads to ", code(path));
  if (decisions > columns.length) span("times", `${number(decisions)} decisions`);
  if (report.labels.length > 1) span("under", "under", columns.map((column) => ` [${column + 1}]`));
  const from = fixtures.map(fixtureItem);
  if (fixtures.length === MOST_FIXTURES && decisions > MOST_FIXTURES * columns.length) {
    from.push(make("li", { class: "brief" }, "and others like them"));
  }
  return make("li", {}, parts, make("ul", { class: "from" }, from));
};

const explained = (explanation) => {
  const words = explanation.told ? [": the model is told ", make("q", {}, told(explanation))]
    : ": the model is told nothing.";
  return make("div", { class: "explanation" },
    explanation.mismatch ? make("p", { class: "mismatch" }, explanation.mismatch) : "",
    make("p", { class: "told" }, decision(explanation.decision), words),
    pieces("call", explanation.calls.map(callItem), (part) => make("ul", { class: "calls" }, part)));
};

const changes = () => {
  const state = (text, nothing) => {
    if (!text) return cell(make("i", {}, nothing));
    const [kind] = text.split(" ", 1);
    const shown = KINDS.includes(kind) ? kind : "error";
    return cell(decision(shown), " ", text.slice(kind.length));
  };
  const lines = report.changes.map(({ fixture, under, before, now }) =>
    line(fixture, cell(under), state(before, "not there"), state(now, "gone")));
  return pieces("change", lines, (part) => scroll("Changes since the baseline",
    make("table", { class: "changes" }, make("caption", {}, "Different from ", code(report.baseline)),
      headings(["fixture", "under", "was", "is"]), make("tbody", {}, part))));
};

// Explanations by rule, most decisions first; the matrix links to them.
const groups = new Map();
for (const explanation of report.reasons) {
  const { rule, decisions } = explanation;
  if (!groups.has(rule)) groups.set(rule, { rule, tally: [0, 0, 0, 0], explanations: [] });
  const group = groups.get(rule);
  group.tally[KINDS.indexOf(explanation.decision)] += decisions;
  group.explanations.push(explanation);
}
const ordered = [...groups.values()].sort((a, b) => total(b.tally) - total(a.tally));
ordered.forEach((group, i) => { group.id = `rule-${i + 1}`; });

const reasons = () => ordered.map(({ rule, tally, explanations, id }) => {
  const counts = KINDS.map((kind, i) => (tally[i] ? [" ", decision(kind), ` ${number(tally[i])}`] : ""));
  return make("details", { class: "group", id }, make("summary", {},
    make("span", { class: "rule" }, rule ? code(rule) : make("i", {}, "no rule of a policy")),
    make("span", { class: "counts" }, counts)), explanations.map(explained));
});

const unmet = () => {
  if (!report.unmet) return [];
  if (report.unmet.length === 0) return [make("p", {}, "Every rule was met by a fixture.")];
  const text = `Of ${counted(report.rules, "rule")}, no fixture met ${number(report.unmet.length)}.`;
  return [make("p", {}, text), plainList("rule", report.unmet.map(code))];
};
