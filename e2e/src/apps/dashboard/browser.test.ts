// The dashboard of `npm start` in a browser: the embedded cluster, all operators and their samples.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { BackgroundProgram } from "../../harness/background-program.ts";
import { Browser } from "../../harness/browser.ts";
import { whyNoProgram } from "../../harness/debian-programs.ts";
import { repository } from "../../harness/repository.ts";
import { installAxe, seriousFindings } from "./axe.ts";
import { testClusterPages } from "./cluster-pages.ts";
import { kindPartTests } from "./kind-parts.ts";

const skip = (await whyNoProgram("chromium")) ?? false;

/** Folder to which pictures of all pages are written; undefined for none. */
const pictures = process.env["HOMEOSTAT_SCREENSHOTS"];

/** Samples of `npm start` with their kinds. */
const samples = { checkout: "LocustTest", acme: "Tenant", events: "ChronikCluster", "pr-42": "Sandbox" } as const;

const pages = {
  overview: "/",
  resource: "/resource/neurallog.io/Tenant/-/acme",
  why: "/why/neurallog.io/Tenant/-/acme",
  operators: "/operators",
} as const;

/** Expressions that are true when a page has its data. */
const isLoaded: Readonly<Record<keyof typeof pages, string>> = {
  overview: `${JSON.stringify(Object.keys(samples))}.every((name) => document.body.innerText.includes(name))`,
  resource: `document.querySelectorAll(".tree li").length > 5 && document.querySelector(".conditions li")`,
  why: `document.querySelector(".timeline li")`,
  operators: `document.querySelectorAll("details").length === 4`,
};

describe("the dashboard of npm start", { skip, timeout: 600_000 }, () => {
  let program: BackgroundProgram;
  let browser: Browser;
  let axe: string;
  let origin = "";

  before(async () => {
    axe = await installAxe();
    program = new BackgroundProgram(process.execPath, [
      "--conditions=development",
      join(repository, "apps/start/dist/main.js"),
    ]);
    const link = /http:\/\/127\.0\.0\.1:\d+\/login\?token=[\w-]+/;
    const end = performance.now() + 60_000;
    while (!link.test(program.output)) {
      assert.ok(performance.now() < end, program.output);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const [url = ""] = link.exec(program.output) ?? [];
    origin = new URL(url).origin;
    browser = await Browser.start();
    await browser.setSize(1280, 900);
    await browser.open(url);
    await browser.until(`location.pathname === "/"`);
  });
  after(async () => {
    await browser?.[Symbol.asyncDispose]();
    await program?.[Symbol.asyncDispose]();
  });
  afterEach(() => assert.deepEqual(browser.takeProblems(), [], "errors in the console"));

  async function open(page: keyof typeof pages): Promise<void> {
    await browser.open(`${origin}${pages[page]}`);
    await browser.until(isLoaded[page]);
  }

  for (const page of ["overview", "resource", "why", "operators"] as const) {
    it(`has a page ${page} with data, landmarks and no serious accessibility findings`, async () => {
      for (const scheme of ["light", "dark"] as const) {
        await browser.setColorScheme(scheme);
        await open(page);

        assert.equal(await browser.evaluate(`document.querySelectorAll("header nav, main > h1").length`), 2);
        assert.deepEqual(await seriousFindings(browser, axe), [], scheme);
        if (pictures !== undefined) writeFileSync(join(pictures, `${page}-${scheme}.png`), await browser.screenshot());
      }
      await browser.setColorScheme("light");
    });

    it(`fits the page ${page} into screens from 360 pixels to 4K`, async () => {
      for (const width of [360, 1280, 3840]) {
        await browser.setSize(width, 900);
        await open(page);

        const overflow = await browser.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert.ok(Number(overflow) <= 0, `${width} pixels: ${String(overflow)} pixels too wide`);
      }
      await browser.setSize(1280, 900);
    });
  }

  it("shows the kind and state of each sample", async () => {
    await open("overview");

    for (const [name, kind] of Object.entries(samples)) {
      const row = `[...document.querySelectorAll(".list-body .list-row")].find((row) => row.querySelector("a").textContent === ${JSON.stringify(name)})`;
      // The rows move while the samples make progress, so all of it is read in one step.
      const cells = await browser.evaluate(
        `JSON.stringify([...${row}.querySelectorAll("small, .state")].map((cell) => cell.textContent))`,
      );
      const [kindText = "", state = "", , change = ""] = JSON.parse(String(cells)) as string[];
      assert.ok(kindText.startsWith(kind), kindText);
      assert.ok(state !== "" && state !== "No status", `${name}: ${state}`);
      assert.match(change, /^\w+ by \S+$/);
    }
  });

  it("filters and moves by keyboard", async () => {
    await open("overview");

    await browser.press("/");
    await browser.until(`document.activeElement.type === "search"`);
    await browser.type("acme");
    await browser.until(`document.querySelectorAll(".list-body .list-row").length === 1`);
    await browser.evaluate(`document.activeElement.select()`);
    await browser.type("o");
    await browser.until(`document.querySelectorAll(".list-body .list-row").length > 1`);
    await browser.evaluate(`document.querySelector(".list-body a").focus()`);
    await browser.press("ArrowDown");

    assert.equal(
      await browser.evaluate(`document.activeElement === document.querySelectorAll(".list-body a")[1]`),
      true,
    );
  });

  it("follows links without loading the page again, and back", async () => {
    await open("overview");
    await browser.evaluate(`globalThis.isSamePage = true`);

    await browser.evaluate(
      `[...document.querySelectorAll(".list-body a")].find((link) => link.textContent === "acme").click()`,
    );
    await browser.until(isLoaded.resource);
    assert.match(String(await browser.evaluate("document.title")), /^Tenant acme - Homeostat$/);
    await browser.evaluate("history.back()");
    await browser.until(isLoaded.overview);

    assert.equal(await browser.evaluate("globalThis.isSamePage"), true);
  });

  it("shows the tree down to pods, explanations of conditions, and managers of fields", async () => {
    await open("resource");

    const text = String(await browser.evaluate("document.querySelector('main').innerText"));
    assert.match(text, /StatefulSet\s+acme-redis[^]*Pod\s+acme-redis-0/);
    assert.match(text, /Meaning: /);
    assert.match(text, /Pod tenant-acme\/acme-redis-0\s+(?:Scheduled|Pulled|Created|Started)/);
    assert.match(
      String(await browser.evaluate(`document.querySelector(".yaml").innerText`)),
      /phase: \w+\s+\S+ \(status\)/,
    );
  });

  it("shows what triggered reconciles and what they wrote", async () => {
    await open("why");

    const text = String(await browser.evaluate("document.querySelector('.timeline').innerText"));
    assert.match(text, /Triggered by: \S+/);
    assert.match(
      text,
      /apply statefulsets\.apps|apply namespaces|create namespaces|patch tenants\.neurallog\.io\/status|skipped|written/,
    );
  });

  testClusterPages(() => ({ browser, origin, axe, pictures }));
  kindPartTests({ browser: () => browser, axe: () => axe, origin: () => origin, pictures });

  it("shows that the server does not respond any more", async () => {
    await open("overview");

    await program[Symbol.asyncDispose]();

    await browser.until(`document.querySelector("[role=status]").innerText.includes("does not respond")`);
    // The failed requests themselves are expected.
    browser.takeProblems();
  });
});
