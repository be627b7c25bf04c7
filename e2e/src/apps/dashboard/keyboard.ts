// Checks that a page can be used with a keyboard only.

import type { Browser } from "../../harness/browser.ts";

/** Largest number of elements that are visited with the Tab key. */
const visitsMax = 60;

const focusable = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility())
  .slice(0, ${visitsMax})`;

/** Marks each element that gets the focus, and remembers those whose focus is invisible. */
const follow = `{
  globalThis.withoutFocusMark = [];
  document.addEventListener("focusin", ({ target }) => {
    target.wasVisited = true;
    const { outlineStyle, outlineWidth } = getComputedStyle(target);
    const box = target.getBoundingClientRect();
    const isInView = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    if (outlineStyle === "none" || outlineWidth === "0px" || !isInView) globalThis.withoutFocusMark.push(target.outerHTML.slice(0, 200));
  });
}`;

/** Visits the first elements of the page with the Tab key. Returns those that it does not reach, and those whose focus cannot be seen. */
export async function keyboardProblems(browser: Browser): Promise<readonly string[]> {
  await browser.evaluate(follow);
  const count = Number(await browser.evaluate(`${focusable}.length`));
  for (let visit = 0; visit < count; visit += 1) await browser.press("Tab");
  const problems = await browser.evaluate(`JSON.stringify([
    ...${focusable}.filter((element) => !element.wasVisited).map((element) => "not reached: " + element.outerHTML.slice(0, 200)),
    ...globalThis.withoutFocusMark.map((html) => "focus is invisible: " + html),
  ])`);
  const texts: unknown = JSON.parse(String(problems));
  return Array.isArray(texts) ? texts.map(String) : [];
}
