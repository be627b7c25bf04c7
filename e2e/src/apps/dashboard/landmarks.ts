// Layout landmarks of a page: what a person uses to find the way around, and where it is. Screenshots are compared by them, because ages, names and numbers
// differ between two runs.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "../../harness/browser.ts";
import { repository } from "../../harness/repository.ts";

/** Landmarks of a page by its width. */
export type PageLandmarks = Readonly<Record<string, readonly string[]>>;

const file = join(repository, "e2e/src/apps/dashboard/landmarks.json");

/** Expression for the landmarks of the page from top to bottom: `h2 Conditions, right`. Numbers are replaced, because they change. */
const expression = `(() => {
  const main = document.querySelector("main").getBoundingClientRect();
  const placeOf = ({ left, right }) => {
    const middle = main.left + main.width / 2;
    return left >= middle - 1 ? "right" : right <= middle + 1 ? "left" : "full";
  };
  const found = [...document.querySelectorAll("header nav, main > h1, main section, main > form")]
    .filter((element) => element.getClientRects().length > 0)
    .map((element) => {
      const box = element.getBoundingClientRect();
      const heading = element.matches("section") ? element.querySelector("h2") : element;
      const text = element.matches("nav, form") ? "" : " " + (heading?.textContent ?? "without heading").trim();
      const name = text.replaceAll(/\\d+/g, "#");
      return { top: Math.round(box.top), left: box.left, text: element.localName + name + ", " + placeOf(box) };
    })
    .toSorted((one, other) => one.top - other.top || one.left - other.left);
  return JSON.stringify(found.map(({ text }) => text));
})()`;

/** Returns the landmarks of the page that the browser shows. */
export async function landmarksOf(browser: Browser): Promise<readonly string[]> {
  const texts: unknown = JSON.parse(String(await browser.evaluate(expression)));
  return Array.isArray(texts) ? texts.map(String) : [];
}

/** Returns the recorded landmarks of all pages. */
export function recordedLandmarks(): Readonly<Record<string, PageLandmarks>> {
  return JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, PageLandmarks>>;
}

/** Records the landmarks of one page. */
export function recordLandmarks(page: string, landmarks: PageLandmarks): void {
  const all = { ...recordedLandmarks(), [page]: landmarks };
  writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
}
