// Charts: SVG without text, so that it may be stretched; the text is beside it. Patterns have the
// same unit.
const WIDTH = 6000;
const HEIGHT = 1000;
const LEAST = 40;  // what is there is seen, however much else there is
const MOST_SERIES = 15;  // lines of a table
const MOST_FOLDED = 500;  // lines below it, without bars
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

// The size of each part of `tally` where `largest` fills `length`.
const lengths = (tally, largest, length) => tally.map((count) => count &&
  Math.max(LEAST, Math.floor(count * (length - LEAST * KINDS.length) / largest)));

// Beside each other, the kinds of each span on top of each other.
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

// One bar from the left, of what the largest of its table is.
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

// A column for each kind of decision that there is at all.
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
  // What the pointer shows: one invisible piece a span.
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

// A line for each series, with its bars: over time where there are times, else one that is as long
// as the series is large. Beyond some lines the rest is in one, and below it one by one.
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
