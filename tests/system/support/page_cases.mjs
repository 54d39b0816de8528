// What the tests of the pages of HTML share: a real Chromium, and the cases that hold for every page.
// The script that imports this gets all paths as JSON: { chromium, playwright, axe, shots, pages,
// hostile, unseen }; `pages` has objects with the path `page`, by name.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

export const question = JSON.parse(process.argv[2]);
const { chromium } = createRequire(import.meta.url)(question.playwright);
const axe = readFileSync(question.axe, "utf8");
export const SCHEMES = ["light", "dark"];
export const WIDTHS = { phone: 360, desk: 1280 };
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

export const browser = await chromium.launch({ executablePath: question.chromium });
export const outcomes = [];

// --- helpers ---

// Opens a page; `more` are Playwright's options. Records requests and messages.
async function open(name, more = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...more });
  const page = await context.newPage();
  page.requests = [];
  page.messages = [];
  await context.route("**/*", (route) => {
    page.requests.push(route.request().url());
    return route.request().url().startsWith("file:") ? route.continue() : route.abort();
  });
  page.on("console", (message) => page.messages.push(message.text()));
  page.on("pageerror", (error) => page.messages.push(String(error)));
  await page.goto(pathToFileURL(question.pages[name].page).href);
  return page;
}

// Runs cases in one page, one after the other: opening a page takes longer than most of them. No
// case may depend on the state that the previous one leaves.
export async function runTogether(cases, ...opened) {
  if (!(opened[0] in question.pages)) return;
  let page;
  for (const [name, test] of cases) {
    try {
      page ??= await open(...opened);
      await test(page);
      outcomes.push([name, ""]);
    } catch (problem) {
      outcomes.push([name, String(problem.message ?? problem).slice(0, 1500) || "it fails"]);
    }
    if (page && question.shots) {
      await page.screenshot({ path: `${question.shots}/${name.replace(/\W+/g, "-")}.png` });
    }
  }
  await page?.context().close();
}

export const run = (name, test, ...opened) => runTogether([[name, test]], ...opened);

// The same case with this colour scheme, or in a window of this size.
export const shownIn = (colorScheme, test) => async (page) => {
  await page.emulateMedia({ colorScheme });
  await test(page);
};

export const shownAt = (width, height, test) => async (page) => {
  await page.setViewportSize({ width, height });
  await test(page);
};

export const openAll = (page) => page.evaluate(() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});

// The element with the keyboard focus.
export const focused = (page) => page.evaluate(() => {
  const at = document.activeElement;
  const style = getComputedStyle(at);
  const box = at.getBoundingClientRect();
  at.dataset.reached = "yes";
  return {
    name: at.localName, text: at.textContent.slice(0, 60), label: at.getAttribute("aria-label"),
    isFree: at === document.body,
    isSeen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 &&
      box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.left < innerWidth,
  };
});

export async function tabTo(page, isIt, most = 400) {
  for (let i = 0; i < most; ++i) {
    await page.keyboard.press("Tab");
    const at = await focused(page);
    if (isIt(at)) return at;
  }
  throw new Error(`${most} presses of Tab do not reach it: ${isIt}`);
}

export async function isQuiet(page) {
  await openAll(page);
  assert.equal(page.requests.length, 1, `requests: ${page.requests}`);
  assert.deepEqual(page.messages, []);
}

export async function isAccessible(page) {
  await openAll(page);
  await page.evaluate(axe);
  const found = await page.evaluate(
    (tags) => axe.run(document, { runOnly: tags, resultTypes: ["violations"] }), RULES);
  assert.ok(found.passes.length > 10, "axe tried nothing");
  assert.deepEqual(found.violations.map((one) =>
    `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html + node.failureSummary)}`), []);
}

export async function fitsItsWidth(page) {
  await openAll(page);
  const [page_width, window_width] = await page.evaluate(
    () => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(page_width <= window_width, `${page_width} in a window of ${window_width}`);
  // Wide regions scroll separately and are reachable by keyboard.
  const stuck = await page.evaluate(() => [...document.querySelectorAll(".scroll")]
    .filter((region) => region.scrollWidth > region.clientWidth && region.tabIndex !== 0).length);
  assert.equal(stuck, 0);
}

export async function fitsWithLargeText(page) {
  await page.addStyleTag({ content: "html { font-size: 200% }" });
  await fitsItsWidth(page);
}

export async function firstLinkSkips(page) {
  await page.keyboard.press("Tab");
  const at = await focused(page);
  assert.match(at.text, /^Skip/);
  assert.ok(at.isSeen);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.id === "content");
}

// Tab goes through the whole page: nothing traps the keyboard, nothing is left out.
export async function isReachedByTab(page) {
  await page.evaluate(() => {
    for (const row of document.querySelectorAll(".matrix tbody tr:nth-child(n+8)")) row.remove();
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  const unseen = [];
  for (let i = 0; i < 2000; ++i) {
    await page.keyboard.press("Tab");
    const at = await focused(page);
    if (at.isFree) break;
    if (!at.isSeen) unseen.push(`${at.name} ${at.text}`);
  }
  assert.deepEqual(unseen, []);
  const left = await page.evaluate(() => [...document.querySelectorAll(
    "a, button:enabled, input, select, summary, [tabindex='0']")]
    .filter((one) => one.checkVisibility() && !one.dataset.reached)
    .map((one) => one.outerHTML.slice(0, 100)));
  assert.deepEqual(left, []);
}

export async function holdsNothingForeign(page, isHostile, wanted = "application/json,module") {
  const facts = await page.evaluate(() => ({
    foreign: document.querySelectorAll("img, iframe, object, embed, link, base, form, video, audio").length,
    scripts: [...document.scripts].map((one) => one.type).join(),
    styles: document.querySelectorAll("style").length,
    handlers: [...document.querySelectorAll("*")].filter((one) => one.getAttributeNames()
      .some((name) => name.startsWith("on") || name === "style" || name === "src")).length,
    hacked: "hacked" in window,
    addresses: [...document.querySelectorAll("a")].filter((one) => !/^#[a-z0-9-]+$/.test(
      one.getAttribute("href"))).length,
    text: ["header", "main"].map((name) => document.querySelector(name).textContent).join(),
  }));
  const { text, ...rest } = facts;
  assert.deepEqual(rest, { foreign: 0, scripts: wanted, styles: 1, handlers: 0,
    hacked: false, addresses: 0 });
  // Invisible characters are escaped, except tabs in the text of files.
  assert.doesNotMatch(text.replaceAll(/[\n\t]/g, ""), /[\p{Cc}\p{Cf}\u2028\u2029\uffff]/u);
  if (!isHostile) return;
  assert.ok(text.split(question.hostile).length > 8, "the text is not shown as it is");
  assert.ok(text.includes("a\\u202eb\\u2066c\\u200bd\\u0007e\\u001bf\\ufeffg"), "nor is that");
}

// The content security policy would hold even if an element were injected.
export async function policyForbids(page) {
  const refused = await page.evaluate(() => new Promise((resolve) => {
    const seen = new Set();
    document.addEventListener("securitypolicyviolation", (event) => {
      seen.add(event.effectiveDirective);
      if (seen.size === 5) resolve([...seen].sort());
    });
    const image = document.createElement("img");
    image.src = "http://evil.example/x";
    const style = document.createElement("style");
    style.textContent = "h1 { display: none }";
    document.body.append(image, style);
    try {
      document.body.setAttribute("onclick", "window.hacked = 1");
    } catch {
      seen.add("not a trusted script");
    }
    fetch("http://evil.example/y").catch(() => {});
    setTimeout(() => resolve([...seen].sort()), 3000);
  }));
  assert.deepEqual(refused, ["connect-src", "img-src", "not a trusted script",
    "require-trusted-types-for", "style-src-elem"]);
  assert.equal(page.requests.length, 1, `requests: ${page.requests}`);
}

export async function doesNotMove(page) {
  await openAll(page);
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  const behaviour = await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior);
  assert.equal(behaviour, "auto");
}

// The cases of every page.
export async function runCommonCases(name) {
  await runTogether([
    [`${name}: skip link`, firstLinkSkips],
    [`${name}, light: no request, no message`, isQuiet],
    [`${name}: Content-Security-Policy`, policyForbids],
  ], name, { colorScheme: "light" });
  await runTogether([
    [`${name}, dark: no request, no message`, isQuiet],
    [`${name}: nothing moves`, doesNotMove],
    ...Object.entries(WIDTHS).map(([what, width]) =>
      [`${name}: fits a ${what}`, shownAt(width, 800, fitsItsWidth)]),
  ], name, { colorScheme: "dark" });
  await runTogether([
    ...SCHEMES.flatMap((scheme) => [
      [`${name}, ${scheme}: accessible`, shownIn(scheme, shownAt(WIDTHS.desk, 900, isAccessible))],
      [`${name}, ${scheme}: accessible on a phone`,
        shownIn(scheme, shownAt(WIDTHS.phone, 780, isAccessible))],
    ]),
    [`${name}: fits with text twice as large`, shownAt(640, 800, fitsWithLargeText)],
  ], name, { bypassCSP: true });
}

// Prints [name, problem] of each case as JSON.
export async function finish() {
  await browser.close();
  console.log(JSON.stringify(outcomes));
}
