// Checks that every page must pass. browser.test.ts includes these tests, because they share the program that it starts.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { Browser } from "../../harness/browser.ts";
import { seriousFindings } from "./axe.ts";
import { keyboardProblems } from "./keyboard.ts";
import { landmarksOf, recordedLandmarks, recordLandmarks } from "./landmarks.ts";
import { pageNames, type PageName, pages } from "./pages.ts";
import { isPictured, pictureSize, recordPicture, recordedPictures } from "./pictures.ts";

/** The started program and the browser that shows its dashboard. */
export interface DashboardStage {
  readonly browser: () => Browser;
  /** Returns the script of axe-core. */
  readonly axe: () => string;
  readonly origin: () => string;
}

/** Widths at which landmarks are compared, and whether the page fits is checked. */
const widths = [360, 1440, 3840] as const;

/** Folder to which pictures of all pages are written, for a review by eye; undefined for none. */
const folder = process.env["HOMEOSTAT_SCREENSHOTS"];
/** True to record landmarks and the pictures of the guide. */
const isRecording = process.env["UPDATE_PICTURES"] === "1";

/** Opens a page and waits for its data. */
export async function openPage({ browser, origin }: DashboardStage, page: PageName): Promise<Browser> {
  const { path, isLoaded } = pages[page];
  await browser().open(`${origin()}${path}`);
  await browser().until(isLoaded);
  return browser();
}

/** Declares the tests of all pages. */
export function pageTests(stage: DashboardStage): void {
  for (const page of pageNames) {
    it(`has a page ${page} without serious accessibility findings, in light and dark`, async () => {
      for (const scheme of ["light", "dark"] as const) {
        await stage.browser().setColorScheme(scheme);
        const browser = await openPage(stage, page);

        assert.equal(await browser.evaluate(`document.querySelectorAll("header nav, main > h1").length`), 2);
        assert.deepEqual(await seriousFindings(browser, stage.axe()), [], scheme);
        if (folder !== undefined) {
          for (const width of [360, 1440]) {
            await browser.setSize(width, 900);
            writeFileSync(join(folder, `${page}-${scheme}-${width}.png`), await browser.screenshot());
          }
          await browser.setSize(1280, 900);
        }
      }
      await stage.browser().setColorScheme("light");
    });

    it(`has a page ${page} with the recorded landmarks, from 360 pixels to 4K`, async () => {
      const found: Record<string, readonly string[]> = {};
      for (const width of widths) {
        await stage.browser().setSize(width, 900);
        const browser = await openPage(stage, page);

        const overflow = await browser.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert.ok(Number(overflow) <= 0, `${width} pixels: ${String(overflow)} pixels too wide`);
        found[width] = await landmarksOf(browser);
      }
      await stage.browser().setSize(1280, 900);

      if (isRecording) recordLandmarks(page, found);
      assert.deepEqual(found, recordedLandmarks()[page]);
    });

    it(`has a page ${page} that a keyboard can use`, async () => {
      const browser = await openPage(stage, page);

      assert.deepEqual(await keyboardProblems(browser), []);
    });

    if (!isPictured(page)) continue;
    it(`has a page ${page} with the landmarks of its picture in the guide`, async () => {
      const { width, height } = pictureSize;
      await stage.browser().setSize(width, height);
      const browser = await openPage(stage, page);
      const landmarks = await landmarksOf(browser);

      if (isRecording) recordPicture(page, { landmarks, png: await browser.screenshot() });
      await browser.setSize(1280, 900);
      assert.deepEqual(
        landmarks,
        recordedPictures()[page]?.landmarks,
        "run UPDATE_PICTURES=1 npm run e2e -- apps/dashboard/browser",
      );
    });
  }
}
