
"use strict";
// Reading needs none of this. It makes pages, filters and an order for the matrix, and opens what a
// link leads to. Text only ever becomes text: nothing here parses markup.
(() => {
  const PAGE = 100;

  const element = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const labelled = (text, control) => {
    const label = element("label", text);
    label.append(control);
    return label;
  };
  const options = (words) => {
    const select = element("select");
    for (const [value, text] of words) select.append(element("option", text, { value }));
    return select;
  };

  // --- what a link leads to is opened ---

  const open = (hash) => {
    const target = document.getElementById(hash.slice(1));
    if (!target || !target.matches("details")) return;
    target.open = true;
    target.querySelector("summary").focus();
    target.scrollIntoView();
  };
  addEventListener("hashchange", () => open(location.hash));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#rule-']");
    if (link) open(link.hash);
  });
  open(location.hash);

  const groups = [...document.querySelectorAll("details.group")];
  if (groups.length > 1) {
    const button = element("button", "Open all", { type: "button" });
    button.addEventListener("click", () => {
      const opens = groups.some((group) => !group.open);
      for (const group of groups) group.open = opens;
      button.textContent = opens ? "Close all" : "Open all";
    });
    const bar = element("p", "", { class: "pages" });
    bar.append(button);
    groups[0].before(bar);
  }

  // --- the matrix ---

  const region = document.querySelector(".matrix");
  if (!region) return;
  const section = region.closest("section");
  const body = region.querySelector("tbody");
  const collator = new Intl.Collator("en", { numeric: true });

  const rows = [...section.querySelectorAll("tbody > tr")].map((line, place) => {
    const cells = [...line.cells];
    // The fixture, a decision for each column, the tool, the path.
    const verdicts = cells.slice(1, -2).map((cell) => cell.className).filter(Boolean);
    return {
      line, place, cells, verdicts,
      tool: cells.at(-2).textContent,
      text: line.textContent.toLowerCase(),
      isWrong: line.querySelector("td > b") !== null,
      differs: new Set(verdicts).size > 1,
    };
  });
  for (const piece of section.querySelectorAll(".piece")) piece.remove();

  const search = element("input", "", { type: "search", autocomplete: "off", spellcheck: "false" });
  const tools = [...new Set(rows.map((row) => row.tool))].sort(collator.compare);
  const tool = options([["", "all"], ...tools.map((name) => [name, name || "none"])]);
  const verdict = options([["", "all"], ...["permit", "ask", "deny", "error"].map((v) => [v, v])]);
  const wrong = element("input", "", { type: "checkbox" });
  const different = element("input", "", { type: "checkbox" });
  const check = (text, box) => {
    const label = element("label", "", { class: "check" });
    label.append(box, text);
    return label;
  };
  const form = element("div", "", { class: "tools", role: "search", "aria-label": "Filter the matrix" });
  form.append(labelled("Text", search), labelled("Tool", tool), labelled("Decision", verdict));
  if (rows.some((row) => row.isWrong)) form.append(check("only mismatches and changes", wrong));
  if (rows.some((row) => row.differs)) form.append(check("only where columns differ", different));

  const said = element("p", "", { role: "status" });
  const earlier = element("button", "Previous page", { type: "button" });
  const later = element("button", "Next page", { type: "button" });
  const pages = element("div", "", { class: "pages" });
  pages.append(said, earlier, later);
  region.before(form, pages);

  let shown = rows;
  let page = 0;
  const number = (count) => count.toLocaleString("en");

  const show = () => {
    const first = page * PAGE;
    const end = Math.min(first + PAGE, shown.length);
    body.replaceChildren(...shown.slice(first, end).map((row) => row.line));
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
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = rows.filter((row) =>
      words.every((word) => row.text.includes(word)) &&
      (tool.selectedIndex === 0 || row.tool === tool.value) &&
      (verdict.value === "" || row.verdicts.includes(verdict.value)) &&
      (!wrong.checked || row.isWrong) && (!different.checked || row.differs));
    if (order.column >= 0) {
      const text = (row) => row.cells[order.column].textContent;
      const sign = order.down ? -1 : 1;
      shown.sort((a, b) => sign * collator.compare(text(a), text(b)) || a.place - b.place);
    }
    page = 0;
    show();
  };

  const turn = (step) => {
    page += step;
    const pressed = document.activeElement;
    show();
    // A button that can no longer be used would lose the place of the keyboard.
    if (pressed.disabled) (step > 0 ? earlier : later).focus();
  };
  earlier.addEventListener("click", () => turn(-1));
  later.addEventListener("click", () => turn(1));
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  for (const control of [tool, verdict, wrong, different]) control.addEventListener("change", filter);

  const heads = [...region.querySelectorAll("thead th")];
  heads.forEach((head, column) => {
    const button = element("button", head.textContent, { type: "button" });
    button.addEventListener("click", () => {
      order = { column, down: order.column === column && !order.down };
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      filter();
    });
    head.replaceChildren(button);
  });
  show();
})();
