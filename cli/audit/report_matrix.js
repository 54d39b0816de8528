// The matrix, with paging, filters and sorting; then the assembly of the page.
const PAGE = 100;
const collator = new Intl.Collator("en", { numeric: true });

// The directory that all names begin with ("captured/"), or "".
const commonFolder = (names) => {
  let folder = names[0].slice(0, names[0].lastIndexOf("/") + 1);
  for (const name of names) {
    while (!name.startsWith(folder)) folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  }
  return folder;
};

// Notes on a decision that differs from the expected one or from the baseline.
const notesOf = ({ wrong, was }) => [wrong, was === "" ? "new" : was && `was ${was.split(" ", 1)[0]}`]
  .filter(Boolean);

const matrixCell = (found) => {
  if (!found) return cell("–");
  const group = found.rule === undefined ? undefined : groups.get(found.rule);
  const notes = notesOf(found).flatMap((note) => [" ", make("b", {}, note)]);
  return make("td", { class: found.decision, ...(found.wrong ? { "data-wrong": "" } : {}) },
    group ? make("a", { href: `#${group.id}` }, found.decision) : found.decision, notes);
};

const matrixRow = (row, place, folder) => {
  const name = row.name.slice(folder.length);
  const count = row.count > 1 ? [" ", make("small", {}, `×${number(row.count)}`)] : "";
  const decisions = row.cells.filter(Boolean);
  const verdicts = decisions.map((found) => found.decision);
  const texts = [name, ...row.cells.map((found) =>
    (found ? [found.decision, ...notesOf(found)].join(" ") : "–")), row.tool, row.path];
  return {
    place, verdicts, texts,
    tool: row.tool,
    text: texts.join(" ").toLowerCase(),
    isWrong: decisions.some((found) => notesOf(found).length !== 0),
    differs: new Set(verdicts).size > 1,
    line: () => line([name, count], row.cells.map(matrixCell), cell(row.tool), cell(row.path)),
  };
};

// The filter controls; `change` is called after each change.
const filters = (rows, change) => {
  const labelled = (text, control) => make("label", {}, text, control);
  const check = (text, box) => make("label", { class: "check" }, box, text);
  const options = (list) =>
    make("select", {}, list.map(([value, text]) => make("option", { value }, text)));
  const search = make("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const tools = [...new Set(rows.map((row) => row.tool))].sort(collator.compare);
  const tool = options([["", "all"], ...tools.map((name) => [name, name || "none"])]);
  const verdict = options([["", "all"], ...KINDS.map((kind) => [kind, kind])]);
  const wrong = make("input", { type: "checkbox" });
  const different = make("input", { type: "checkbox" });
  const form = make("div", { class: "tools", role: "search", "aria-label": "Filter the matrix" },
    labelled("Text", search), labelled("Tool", tool), labelled("Decision", verdict),
    rows.some((row) => row.isWrong) ? check("only mismatches and changes", wrong) : "",
    rows.some((row) => row.differs) ? check("only where columns differ", different) : "");
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(change, 120);
  });
  for (const control of [tool, verdict, wrong, different]) control.addEventListener("change", change);
  const wanted = () => {
    const parts = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    return rows.filter((row) => parts.every((part) => row.text.includes(part)) &&
      (tool.selectedIndex === 0 || row.tool === tool.value) &&
      (verdict.value === "" || row.verdicts.includes(verdict.value)) &&
      (!wrong.checked || row.isWrong) && (!different.checked || row.differs));
  };
  return { form, wanted };
};

const matrix = () => {
  if (report.rows.length === 0) return [make("p", {}, "There is no fixture.")];
  const folder = commonFolder(report.rows.map((row) => row.name));
  const rows = report.rows.map((row, place) => matrixRow(row, place, folder));
  // Short names; the top of the page lists the numbers with the full names.
  const shorts = report.labels.map((label, i) => (report.labels.length > 1 ? `[${i + 1}] ` : "") +
    label.slice(report.policies[i].lastIndexOf("/") + 1));
  const body = make("tbody");
  const heads = headings(["fixture", ...shorts, "tool", "path"]);
  const region = scroll("Rows of the matrix", make("table", {},
    make("caption", {}, "Each fixture under each policy and profile",
      folder ? `; names are below ${folder}` : ""), heads, body), " matrix");
  const said = make("p", { role: "status" });
  const earlier = make("button", { type: "button" }, "Previous page");
  const later = make("button", { type: "button" }, "Next page");

  let shown = rows;
  let page = 0;
  const show = () => {
    const first = page * PAGE;
    const end = Math.min(first + PAGE, shown.length);
    body.replaceChildren(...shown.slice(first, end).map((row) => row.line()));
    region.scrollTop = 0;
    said.textContent = shown.length === 0
      ? "No row is like that."
      : `Rows ${number(first + 1)} to ${number(end)} of ${number(shown.length)}` +
        (shown.length < rows.length ? `, out of ${number(rows.length)}` : "");
    earlier.disabled = page === 0;
    later.disabled = end === shown.length;
    earlier.hidden = later.hidden = shown.length <= PAGE;
  };

  let order = { column: -1, down: false };
  const filter = () => {
    shown = wanted();
    if (order.column >= 0) {
      const sign = order.down ? -1 : 1;
      shown.sort((a, b) => sign * collator.compare(a.texts[order.column], b.texts[order.column]) ||
        a.place - b.place);
    }
    page = 0;
    show();
  };
  const { form, wanted } = filters(rows, () => filter());

  const turn = (step) => {
    page += step;
    const pressed = document.activeElement;
    show();
    // A disabled button would lose the keyboard focus.
    if (pressed.disabled) (step > 0 ? earlier : later).focus();
  };
  earlier.addEventListener("click", () => turn(-1));
  later.addEventListener("click", () => turn(1));

  const columns = [...heads.querySelectorAll("th")];
  columns.forEach((head, column) => {
    const button = make("button", { type: "button" }, head.textContent);
    button.addEventListener("click", () => {
      order = { column, down: order.column === column && !order.down };
      columns.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      filter();
    });
    head.replaceChildren(button);
  });
  show();
  return [form, make("div", { class: "pages" }, said, earlier, later), region];
};

// --- the whole page ---

const parts = [
  ["mismatches", "Not as expected", report.wrong.map(explained)],
  ["changes", "Changed since the baseline", changes()],
  ["counts", "What was decided", decided()],
  ["reasons", "Denials and questions, by rule", reasons()],
  ["coverage", "Rules never met", unmet()],
  ["matrix", "The matrix", matrix()],
].filter(([, , content]) => content.length !== 0);
document.querySelector("header").append(...head(parts.map(([id, title]) =>
  make("li", {}, make("a", { href: `#${id}` }, title)))));
document.querySelector("main").replaceChildren(...parts.map(([id, title, content]) =>
  make("section", { "aria-labelledby": id }, make("h2", { id, tabindex: "-1" }, title), content)));

const folded = [...document.querySelectorAll("details.group")];
if (folded.length > 1) {
  const button = make("button", { type: "button" }, "Open all");
  button.addEventListener("click", () => {
    const opens = folded.some((group) => !group.open);
    for (const group of folded) group.open = opens;
    button.textContent = opens ? "Close all" : "Open all";
  });
  folded[0].before(make("p", { class: "pages" }, button));
}

// Opens the target of a link.
const open = (hash) => {
  const target = document.getElementById(hash.slice(1));
  if (!target) return;
  if (target.matches("details")) {
    target.open = true;
    target.querySelector("summary").focus();
  }
  target.scrollIntoView();
};
addEventListener("hashchange", () => open(location.hash));
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#rule-']");
  if (link) open(link.hash);
});
open(location.hash);
