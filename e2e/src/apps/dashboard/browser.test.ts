// The dashboard of `npm start` in a browser: the embedded cluster, all operators and their samples.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { BackgroundProgram } from "../../harness/background-program.ts";
import { Browser } from "../../harness/browser.ts";
import { whyNoProgram } from "../../harness/debian-programs.ts";
import { repository } from "../../harness/repository.ts";
import { installAxe } from "./axe.ts";
import { clusterPageTests } from "./cluster-pages.ts";
import { kindPartTests } from "./kind-parts.ts";
import { type DashboardStage, openPage, pageTests } from "./page-checks.ts";
import { type PageName, pages, samples } from "./pages.ts";

const skip = (await whyNoProgram("chromium")) ?? false;

describe("the dashboard of npm start", { skip, timeout: 1_200_000 }, () => {
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
    const end = performance.now() + 240_000;
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

  const stage: DashboardStage = { browser: () => browser, axe: () => axe, origin: () => origin };
  const open = async (page: PageName): Promise<void> => void (await openPage(stage, page));

  pageTests(stage);

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
    await browser.until(pages.resource.isLoaded);
    assert.match(String(await browser.evaluate("document.title")), /^Tenant acme - Homeostat$/);
    await browser.evaluate("history.back()");
    await browser.until(pages.overview.isLoaded);

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
    assert.match(text, /Read \d+ times, (?:all from the cache|\d+ by requests)/);
    assert.match(text, /Decided managed objects: \d+ \w+/);
    assert.match(text, /Steps: (?:\w+ [\d.]+ m?s(?:, )?)+/);
    assert.match(
      text,
      /apply statefulsets\.apps|apply namespaces|create namespaces|patch tenants\.neurallog\.io\/status|skipped|written/,
    );
  });

  clusterPageTests(stage);
  kindPartTests(stage);

  it("shows that the server does not respond any more", async () => {
    await open("overview");

    await program[Symbol.asyncDispose]();

    await browser.until(`document.querySelector("[role=status]").innerText.includes("does not respond")`);
    // The failed requests themselves are expected.
    browser.takeProblems();
  });
});
