// Charts: SVG without text, so that it can be stretched; the text is next to it. Patterns use the
// same units.
const WIDTH = 6000;
const HEIGHT = 1000;
const LEAST = 40;  // minimum length, so that small counts stay visible
const MOST_SERIES = 15;  // rows of a table
const MOST_FOLDED = 500;  // rows of the table below it, without bars
const NONE = [0, 0, 0, 0];

const { counts } = report;
const hasTimes = counts.spans.length !== 0;
const drawn = (name, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const svg = (attributes, paths) => drawn("svg",
  { ...attributes, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" }, ...paths);
const kindPaths = (paths) => KINDS.flatMap((kind, i) =>
  (paths[i] ? [drawn("path", { class: kind, d: paths[i] })] : []));
const tallies = (series) => series.spans.map(([, tally]) => tally);
const largestOf = (list) => list.reduce((most, tally) => Math.max(most, total(tally)), 0);

// The length of each part of `tally`, scaled so that `largest` fills `length`.
const lengths = (tally, largest, length) => tally.map((count) => count &&
  Math.max(LEAST, Math.floor(count * (length - LEAST * KINDS.length) / largest)));

// One stacked bar for each time span, side by side.
const bars = (series) => {
  const largest = largestOf(tallies(series));
  const pitch = Math.floor(WIDTH / counts.spans.length);
  const width = Math.min(pitch - Math.floor(pitch / 6), WIDTH / 8);
  const paths = ["", "", "", ""];
  for (const [span, tally] of series.spans) {
    let bottom = HEIGHT;
    lengths(tally, largest, HEIGHT).forEach((length, kind) => {
      if (length) paths[kind] += `M${span * pitch} ${bottom}v-${length}h${width}v${length}z`;
      bottom -= length;
    });
  }
  return kindPaths(paths);
};

// One stacked bar from the left, scaled to the largest in its table.
const bar = (tally, largest) => {
  let left = 0;
  return kindPaths(lengths(tally, largest, WIDTH).map((length) => {
    const path = length ? `M${left} 0h${length}v${HEIGHT}H${left}z` : "";
    left += length;
    return path;
  }));
};

const words = (tally) => KINDS.flatMap((kind, i) => (tally[i] ? [`${number(tally[i])} ${kind}`] : []))
  .join(", ") || "none";

// The kinds of decision that occur; each has a column.
const present = KINDS.filter((_, i) => counts.all.tally[i] !== 0);
const numbers = (tally) => [cell(number(total(tally))), ...present.map((kind) => {
  const count = tally[KINDS.indexOf(kind)];
  return make("td", count === 0 ? { class: "zero" } : {}, number(count));
})];
const numbersTable = (caption, first, lines) => make("table", { class: "numbers" },
  make("caption", {}, caption), headings([first, "all", ...present.map(decision)]),
  make("tbody", {}, lines));

const timeChart = () => {
  if (!hasTimes) return [];
  const { spans, step, timeless, all } = counts;
  const bySpan = new Map(all.spans);
  const pitch = Math.floor(WIDTH / spans.length);
  // Tooltips: one invisible shape for each time span.
  const hints = spans.map((label, i) => drawn("path",
    { class: "hint", d: `M${i * pitch} 0h${pitch}v${HEIGHT}h-${pitch}z` },
    drawn("title", {}, `${label}: ${words(bySpan.get(i) ?? NONE)}`)));
  const label = `Decisions in each ${step} from ${spans[0]} to ${spans.at(-1)}: ${words(all.tally)}`;
  const left = timeless === 0 ? ""
    : ` ${counted(timeless, "decision")} without a time ${timeless === 1 ? "is" : "are"} left out.`;
  const axis = [spans[0]];
  if (spans.length > 6) axis.push(spans[Math.floor(spans.length / 2)]);
  if (spans.length > 1) axis.push(spans.at(-1));
  return [make("figure", {},
    make("figcaption", {}, `Decisions in each ${step}, UTC. The largest has ` +
      `${number(largestOf(tallies(all)))}.${left}`),
    make("div", { class: "plot" },
      svg({ class: "bars", role: "img", "aria-label": label }, [...bars(all), ...hints])),
    make("p", { class: "axis" }, axis.map((text) => make("span", {}, text)))),
  make("details", {}, make("summary", {}, "The same as numbers"),
    scroll("Decisions over time as numbers", numbersTable(`Decisions by ${step}, UTC`, "from",
      spans.map((text, i) => line(text, numbers(bySpan.get(i) ?? NONE))))))];
};

const sumOf = (list) => {
  const add = (a, b) => a.map((count, i) => count + b[i]);
  const spans = new Map();
  for (const [span, tally] of list.flatMap((series) => series.spans)) {
    spans.set(span, add(spans.get(span) ?? NONE, tally));
  }
  return { tally: list.reduce((sum, { tally }) => add(sum, tally), NONE), spans: [...spans] };
};

// One row for each series, with bars over time, or without times one bar for its total. Series
// beyond MOST_SERIES share one row and are listed individually below the table.
const seriesTable = (caption, first, unnamed, list) => {
  const name = ({ label }) => (label ? code(label) : make("i", {}, unnamed));
  const shown = list.slice(0, MOST_SERIES).map((series) => [name(series), series]);
  const others = list.slice(MOST_SERIES);
  if (others.length !== 0) {
    shown.push([make("i", {}, `${number(others.length)} others`), sumOf(others)]);
  }
  const largest = largestOf(shown.map(([, series]) => series.tally));
  const lines = shown.map(([label, series]) => line(make("div", { class: "series" },
    make("span", {}, label),
    svg({ class: hasTimes ? "bars" : "bars flat", "aria-hidden": "true" },
      hasTimes ? bars(series) : bar(series.tally, largest))), numbers(series.tally)));
  const made = [scroll(caption, numbersTable(caption, first, lines))];
  if (others.length === 0) return made;
  const folded = others.slice(0, MOST_FOLDED).map((series) => line(name(series), numbers(series.tally)));
  const rest = others.slice(MOST_FOLDED);
  if (rest.length !== 0) {
    folded.push(line(make("i", {}, counted(rest.length, "other")), numbers(sumOf(rest).tally)));
  }
  return [...made, make("details", {},
    make("summary", {}, `${number(others.length)} others one by one`),
    scroll(`${caption}, the others`, numbersTable(`${caption}, the others`, first, folded)))];
};

const decided = () => {
  if (report.decisions === 0) return [];
  return [timeChart(), make("p", { class: "note" },
    hasTimes ? "Below, each line has bars over the same time, in a scale of its own."
      : "The fixtures carry no time, so there are no dates."),
  counts.columns.length > 1
    ? seriesTable("Decisions by policy and profile", "under", "", counts.columns) : "",
  seriesTable("Decisions by tool", "tool", "no tool", counts.tools),
  seriesTable("Decisions by rule", "rule that decided", "no rule", counts.rules)];
};
