// The cases of test_audit_html.py, which passes all paths as JSON, for the pages that it names.
import assert from "node:assert/strict";
import {
  WIDTHS, finish, fitsItsWidth, focused, holdsNothingForeign, isReachedByTab, openAll, question, run,
  runCommonCases, runTogether, tabTo,
} from "../support/page_cases.mjs";

// --- helpers ---

const shownRows = (page) => page.locator(".matrix tbody tr").count();
const status = (page) => page.locator("[role=status]").textContent();

async function typeInto(page, role, label, text) {
  await page.getByRole(role, { name: label, exact: true }).focus();
  await page.keyboard.type(text);
}

// The filter waits for a pause in typing.
async function expectStatus(page, pattern) {
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector("[role=status]").textContent),
    pattern.source, { timeout: 5000 });
}

// --- the cases ---

async function hasStructure(page) {
  const facts = await page.evaluate(() => ({
    lang: document.documentElement.lang,
    title: document.title,
    landmarks: ["header", "nav", "main", "footer"].filter((name) => document.querySelector(name)),
    levels: [...document.querySelectorAll("h1, h2, h3")].map((heading) => heading.localName),
    bare: [...document.querySelectorAll("table")]
      .filter((table) => !table.caption || !table.querySelector("th[scope=col]")).length,
    unnamed: [...document.querySelectorAll("svg:not([aria-hidden])")]
      .filter((chart) => !chart.getAttribute("aria-label")).length,
    doubled: [...document.querySelectorAll("[id]")].length -
      new Set([...document.querySelectorAll("[id]")].map((one) => one.id)).size,
  }));
  assert.equal(facts.lang, "en");
  assert.match(facts.title, /^(Sound|Not sound)/);
  assert.equal(facts.landmarks.length, 4);
  assert.equal(facts.levels.filter((level) => level === "h1").length, 1);
  assert.equal(facts.levels[0], "h1");
  assert.ok(facts.levels.length > 2);
  assert.deepEqual([facts.bare, facts.unnamed, facts.doubled], [0, 0, 0]);
}

// Red marks results that differ from their fixture: an expected denial is not an error.
async function isRedOnlyWhereWrong(page) {
  const colours = await page.evaluate(() => {
    const bad = document.createElement("b");
    bad.style.color = "var(--bad)";
    document.body.append(bad);
    const colour = (cell) => getComputedStyle(cell).color;
    const of = (selector) => [...document.querySelectorAll(selector)].map(colour);
    return { bad: colour(bad), right: of(".matrix td.deny:not([data-wrong])"),
             wrong: of(".matrix td[data-wrong]") };
  });
  assert.ok(!colours.right.includes(colours.bad), "an expected denial is red");
  assert.ok(colours.wrong.every((one) => one === colours.bad), colours.wrong.join());
}

// Every decision has its word, so that no colour is needed.
async function needsNoColour(page) {
  const wrong = await page.evaluate(() => [...document.querySelectorAll(".matrix td[class]")]
    .filter((cell) => !cell.textContent.startsWith(cell.className)).length);
  assert.equal(wrong, 0);
  await isRedOnlyWhereWrong(page);
  const fills = await page.evaluate(() => ["permit", "ask", "deny", "error"].map((kind) => {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("class", kind);
    document.querySelector("svg").append(path);
    return getComputedStyle(path).fill;
  }));
  assert.equal(new Set(fills).size, 4, fills.join());
  assert.match(fills[1] + fills[3], /url.*url/);
}

// Each existing part has its section, and there are no other sections.
async function hasItsSections(page, facts) {
  const wanted = [
    ["mismatches", facts.mismatches], ["changes", facts.changes], ["counts", facts.decisions],
    ["reasons", facts.decisions - facts.verdicts.permit], ["coverage", facts.unmet !== null],
    ["matrix", true]].filter(([, count]) => count).map(([id]) => id);
  const found = await page.evaluate(() => [...document.querySelectorAll("h2")].map((one) => one.id));
  assert.deepEqual(found, wanted);
  const links = await page.locator("nav a").evaluateAll((all) => all.map((one) => one.hash.slice(1)));
  assert.deepEqual(links, wanted);
  assert.equal(await page.locator("#coverage ~ ul li").count(), facts.unmet ?? 0);
  assert.equal(await page.locator("table.changes tbody tr").count(), facts.changes);
  assert.equal(await page.locator("header > details:has(ul) li").count(), facts.skipped);
}

// Only an unexpected denial is marked as wrong.
async function marksWhatIsWrong(page, facts) {
  assert.equal(await page.locator(".matrix td[data-wrong]").count(), facts.mismatches);
  assert.ok(await page.locator(".matrix td.deny:not([data-wrong])").count() > 0);
  assert.ok(await page.locator(".matrix td.deny[data-wrong]").count() > 0);
}

async function isOfNothing(page) {
  assert.deepEqual(page.messages, []);
  assert.equal(await page.locator(".bars, .tools").count(), 0);
  assert.equal(await page.locator("main h2").count(), 1);
  assert.match(await page.locator("main").innerText(), /There is no fixture\./);
}

// Identical calls share a row.
async function joinsCalls(page) {
  assert.deepEqual(await page.locator(".matrix tbody tr").count(), 1);
  assert.match(await page.locator(".matrix tbody").innerText(), /×3,000/);
  assert.match(await page.locator(".figures").innerText(), /3,000/);
}

async function addsUp(page, facts) {
  const sums = await page.evaluate(() => [...document.querySelectorAll("section .numbers")]
    .filter((table) => !table.closest("details"))
    .map((table) => [...table.querySelectorAll("tbody tr")].reduce((sum, row) =>
      sum + Number(row.cells[1].textContent.replaceAll(",", "")), 0)));
  assert.ok(sums.length >= 2);
  for (const sum of sums) assert.equal(sum, facts.decisions);
  const figures = await page.locator(".figures dd").allTextContents();
  const [permit, ask, deny, error, wrong] = figures.map((text) => Number(text.replaceAll(",", "")));
  assert.equal(permit + ask + deny + error, facts.decisions);
  assert.equal(wrong, facts.mismatches);
}

// Rows of a table for browsers without JavaScript, each as the texts of its cells.
const linesOf = (page, caption) => page.evaluate((text) =>
  [...document.querySelectorAll("noscript table")].filter((one) => one.caption.textContent === text)
    .flatMap((one) => [...one.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.innerText))),
caption);

async function readsWithoutScript(page, facts) {
  assert.equal(await page.locator(".tools, .pages, thead button").count(), 0);
  const rows = await linesOf(page, "The matrix");
  assert.ok(rows.length > 0 && rows.length <= facts.fixtures, `${rows.length} rows`);
  if (facts.fixtures < 1000) assert.equal(rows.length, facts.fixtures);
  assert.ok(rows.every(([, , cells]) => /\b(permit|ask|deny|error)\b/.test(cells)), "no decision");
  const text = await page.locator("main").innerText();
  const tally = Object.entries(facts.verdicts).map(([kind, count]) => `${count.toLocaleString("en")} ${kind}`);
  assert.ok(text.includes(`${tally.join(", ")}, ${facts.mismatches} not as expected`), text.slice(0, 300));
  const reasons = await linesOf(page, "Denials and questions, by rule");
  const refused = facts.decisions - facts.verdicts.permit;
  assert.equal(reasons.reduce((sum, cells) => sum + Number(cells[2].replaceAll(",", "")), 0), refused);
  assert.ok(reasons.every(([, decision, , told, calls]) => decision && told && calls));
  assert.ok((await page.locator("noscript tbody tr").evaluateAll((all) => all.map((one) =>
    one.checkVisibility()))).every(Boolean), "not seen");
  assert.equal((await linesOf(page, "Changed since the baseline")).length, facts.changes);
  assert.equal((await linesOf(page, "Not as expected")).length > 0, facts.mismatches > 0);
  await holdsNothingForeign(page, question.pages.fixtures === facts);
  assert.deepEqual(page.messages, []);
}

async function opensReasonsByKeyboard(page) {
  const groups = await page.locator("details.group").count();
  assert.ok(groups > 3);
  let opened = 0;
  while (opened < groups) {
    await tabTo(page, (at) => at.name === "summary");
    const isGroup = await page.evaluate(() => document.activeElement.parentElement.className === "group");
    if (!isGroup) continue;
    await page.keyboard.press("Enter");
    assert.ok(await page.evaluate(() => document.activeElement.parentElement.open));
    opened += 1;
  }
  assert.equal(await page.locator("details.group[open]").count(), groups);
  const text = await page.locator("#reasons + *").first().locator("xpath=..").innerText();
  assert.match(text, /the model is told/);
  assert.match(text, /A key opens other machines\./);
  assert.match(text, /policy\.json:\d+ \/read\/deny "@secrets"/);
}

async function filtersByKeyboard(page, facts) {
  const all = await shownRows(page);
  await typeInto(page, "searchbox", "Text", "no key");
  await expectStatus(page, /^Rows 1 to 1 of 1,/);
  assert.equal(await shownRows(page), 1);
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await expectStatus(page, new RegExp(`^Rows 1 to ${all} of ${all}$`));
  await typeInto(page, "combobox", "Decision", "ask");
  assert.equal(await page.locator(".matrix tbody tr:not(:has(td.ask))").count(), 0);
  assert.equal(await shownRows(page), 1);
  await page.keyboard.press("Home");
  await page.getByLabel("only mismatches and changes").focus();
  await page.keyboard.press("Space");
  assert.equal(await page.locator(".matrix tbody tr:not(:has(td > b))").count(), 0);
  assert.ok(await page.locator(".matrix td > b").count() >= facts.mismatches);
  await page.keyboard.press("Space");
  await page.getByLabel("only where columns differ").focus();
  await page.keyboard.press("Space");
  assert.equal(await shownRows(page), 2);
  await page.keyboard.press("Space");
  await typeInto(page, "searchbox", "Text", "nothing is called so");
  await expectStatus(page, /^No row/);
}

async function sortsByKeyboard(page) {
  const names = () => page.locator(".matrix tbody th").allTextContents();
  const written = await names();
  await tabTo(page, (at) => at.label === "Rows of the matrix");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const up = await names();
  assert.notDeepEqual(up, written);
  assert.equal(await page.locator("th[aria-sort=ascending]").count(), 1);
  await page.keyboard.press("Enter");
  assert.deepEqual(await names(), up.reverse());
  assert.equal(await page.locator("th[aria-sort=descending]").count(), 1);
}

async function leadsToTheReason(page) {
  const link = page.locator(".matrix td.deny a").first();
  await link.focus();
  await page.keyboard.press("Enter");
  const target = await link.getAttribute("href");
  await page.waitForFunction((id) => document.querySelector(id).open &&
    document.querySelector(id).contains(document.activeElement), target);
}

async function turnsPages(page) {
  assert.match(await status(page), /^Rows 1 to 100 of [\d,]+$/);
  assert.equal(await shownRows(page), 100);
  const first = await page.locator(".matrix tbody th").first().textContent();
  await page.getByRole("button", { name: "Next page" }).focus();
  await page.keyboard.press("Enter");
  assert.match(await status(page), /^Rows 101 to 200 of/);
  assert.notEqual(await page.locator(".matrix tbody th").first().textContent(), first);
  await page.getByRole("button", { name: "Previous page" }).focus();
  await page.keyboard.press("Enter");
  assert.match(await status(page), /^Rows 1 to 100 of/);
  assert.ok(await page.evaluate(() => document.activeElement.localName === "button"));
  await page.getByRole("region", { name: "Rows of the matrix" }).focus();
  await page.keyboard.press("PageDown");
  // The headings stay once the caption above them has scrolled away: scrolling takes some frames.
  await page.waitForFunction(() => document.querySelector(".matrix").scrollTop >
    document.querySelector(".matrix caption").getBoundingClientRect().height);
  const [head, region] = await page.evaluate(() => [
    document.querySelector(".matrix thead th").getBoundingClientRect().top,
    document.querySelector(".matrix").getBoundingClientRect().top]);
  assert.ok(Math.abs(head - region) < 3, `${head} ${region}`);
}

async function showsTime(page) {
  const chart = page.getByRole("img", { name: /^Decisions in each day from 2025-11-02 to 2025-11-2/ });
  assert.ok((await chart.boundingBox()).height > 50);
  assert.ok(await chart.locator("path").count() > 20);
  await page.getByText("The same as numbers").click();
  const days = await page.locator("details[open] .numbers tbody tr").count();
  assert.ok(days >= 21 && days <= 23, `${days} days`);
}

async function holdsHostileText(page) {
  await openAll(page);
  await holdsNothingForeign(page, true);
  // The page's JSON ends neither its element nor a line, and none of its characters is invisible.
  const source = await page.evaluate(() => document.getElementById("report").textContent);
  assert.doesNotMatch(source, /[<>&\p{Cc}\p{Cf}\u2028\u2029\ufffe\uffff]/u);
  const names = JSON.parse(source).rows.map((row) => row.name);
  assert.ok(names.some((name) => name.includes(question.hostile)), "it is another text");
}

async function prints(page) {
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("nav, .tools").first().isVisible(), false);
  assert.ok(await page.locator(".group .explanation").first().isVisible(), "reasons are folded");
  assert.ok((await page.pdf()).length > 10000);
}

// --- main ---

const { none, alike, ...pages } = question.pages;
for (const [name, facts] of Object.entries(pages)) {
  await runCommonCases(name);
  await runTogether([
    [`${name}: structure`, hasStructure],
    [`${name}: sections`, (page) => hasItsSections(page, facts)],
    [`${name}: counts add up`, (page) => addsUp(page, facts)],
    [`${name}: without colour`, needsNoColour],
  ], name);
  await run(`${name}: without JavaScript`, (page) => readsWithoutScript(page, facts), name,
    { javaScriptEnabled: false });
  await run(`${name}: fits a phone without JavaScript`, fitsItsWidth, name,
    { javaScriptEnabled: false, viewport: { width: WIDTHS.phone, height: 780 } });
}
const facts = question.pages.fixtures;
await run("none: nothing was decided", isOfNothing, "none");
await run("alike: calls that are alike", joinsCalls, "alike");
await run("fixtures: what is wrong", (page) => marksWhatIsWrong(page, facts), "fixtures");
await run("fixtures: hostile text", holdsHostileText, "fixtures");
await run("fixtures: everything by Tab", isReachedByTab, "fixtures");
await run("fixtures: everything by Tab on a phone", isReachedByTab, "fixtures",
  { viewport: { width: WIDTHS.phone, height: 780 } });
await run("fixtures: reasons by keyboard", opensReasonsByKeyboard, "fixtures");
await run("fixtures: filters by keyboard", (page) => filtersByKeyboard(page, facts), "fixtures");
await run("fixtures: order by keyboard", sortsByKeyboard, "fixtures");
await run("fixtures: a denial leads to its reason", leadsToTheReason, "fixtures");
await run("fixtures: on paper", prints, "fixtures");
await run("log: pages of the matrix", turnsPages, "log");
await run("log: decisions over time", showsTime, "log");

await finish();
