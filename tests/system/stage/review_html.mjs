// The cases of test_review.py, which passes all paths as JSON, for the pages that it names.
import assert from "node:assert/strict";
import {
  WIDTHS, finish, fitsItsWidth, holdsNothingForeign, isReachedByTab, openAll, question, run,
  runCommonCases, runTogether,
} from "../support/page_cases.mjs";

const textOf = (page, selector) => page.locator(selector).evaluateAll(
  (all) => all.map((one) => one.textContent.trim()));

async function hasStructure(page, facts) {
  const found = await page.evaluate(() => ({
    lang: document.documentElement.lang,
    title: document.querySelector("h1").textContent,
    tab: document.title,
    landmarks: ["header", "nav", "main", "footer"].filter((name) => document.querySelector(name)),
    levels: [...document.querySelectorAll("h1, h2, h3, h4")].map((one) => Number(one.localName[1])),
    sections: [...document.querySelectorAll("h2")].map((one) => one.id),
    links: [...document.querySelectorAll("nav a")].map((one) => one.hash.slice(1)),
    doubled: [...document.querySelectorAll("[id]")].length -
      new Set([...document.querySelectorAll("[id]")].map((one) => one.id)).size,
  }));
  assert.deepEqual([found.lang, found.title, found.landmarks.length, found.doubled],
    ["en", facts.title, 4, 0]);
  assert.equal(found.tab, `${facts.title} - ringfence stage review`);
  found.levels.reduce((last, level) => {
    assert.ok(level <= last + 1, `h${level} after h${last}`);
    return level;
  }, 0);
  assert.deepEqual(found.sections, facts.sections);
  assert.deepEqual(found.links, facts.sections);
}

// Every changed file is in the tree once, with its word, and a line that was added or removed has
// its sign and its number.
async function showsTheChanges(page, facts) {
  await openAll(page);
  const names = await textOf(page, ".tree .file code:first-of-type");
  for (const name of facts.names) assert.equal(names.filter((one) => one === name).length, 1, name);
  for (const absent of facts.absent) assert.ok(!names.includes(absent), absent);
  const wrong = await page.evaluate(() => [...document.querySelectorAll(".diff .add, .diff .del")]
    .filter((line) => {
      const isAdded = line.classList.contains("add");
      const number = isAdded ? line.dataset.new : line.dataset.old;
      return line.textContent[0] !== (isAdded ? "+" : "-") || !(Number(number) > 0);
    }).length);
  assert.equal(wrong, 0);
  const added = await textOf(page, ".diff .add");
  for (const line of facts.added) assert.ok(added.includes(line), `${line} in ${added}`);
  const main = await page.locator("main").innerText();
  for (const text of facts.texts) assert.ok(main.includes(text), `${text} in ${main.slice(0, 2000)}`);
}

// Numbers are beside the lines, but not in the text that is copied.
async function copiesOnlyText(page) {
  await openAll(page);
  const [text, width, number] = await page.evaluate(() => {
    const line = document.querySelector(".diff .add");
    return [line.textContent, line.getBoundingClientRect().width,
      getComputedStyle(line, "::after").content];
  });
  assert.ok(text.startsWith("+") && text.endsWith("\n") && width > 100);
  assert.match(number, /^"\d+"$/);
}

async function hidesLargeFolders(page, facts) {
  assert.equal(await page.locator("details.folder.piece[open]").count(), 0);
  const [shown, all] = await page.evaluate(() => {
    const files = [...document.querySelectorAll(".tree .file")];
    return [files.filter((one) => one.checkVisibility()).length, files.length];
  });
  assert.ok(all >= facts.files, `${all} files`);
  assert.ok(shown < 30, `${shown} files are visible`);
  const folder = page.locator("details.folder.piece > summary").first();
  await folder.focus();
  await page.keyboard.press("Enter");
  assert.ok(await page.locator("details.folder.piece[open] > ul > li").first().isVisible());
}

async function holdsHostileText(page) {
  await openAll(page);
  await holdsNothingForeign(page, true, "");
}

async function prints(page) {
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("nav").isVisible(), false);
  assert.ok(await page.locator(".diff").first().isVisible(), "diffs are folded");
  assert.ok((await page.pdf()).length > 10000);
}

for (const [name, facts] of Object.entries(question.pages)) {
  await runCommonCases(name);
  await runTogether([
    [`${name}: structure`, (page) => hasStructure(page, facts)],
    [`${name}: nothing foreign`, (page) => holdsNothingForeign(page, false, "")],
  ], name);
  await runTogether([
    [`${name}: without JavaScript`, (page) => hasStructure(page, facts)],
    [`${name}: fits a phone without JavaScript`, fitsItsWidth],
  ], name, { javaScriptEnabled: false, viewport: { width: WIDTHS.phone, height: 780 } });
}
const all = question.pages.all;
await run("all: the changes", (page) => showsTheChanges(page, all), "all");
await run("all: the changes without JavaScript", (page) => showsTheChanges(page, all), "all",
  { javaScriptEnabled: false });
await run("all: what is copied", copiesOnlyText, "all");
await run("all: everything by Tab", isReachedByTab, "all");
await run("all: on paper", prints, "all");
await run("hostile: hostile text", holdsHostileText, "hostile");
await run("many: large directories", (page) => hidesLargeFolders(page, question.pages.many), "many");

await finish();
