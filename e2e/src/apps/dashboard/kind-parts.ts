// Pages of load tests and tenants. browser.test.ts includes these tests, because they share the program that it starts.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import type { DashboardStage } from "./page-checks.ts";

const testPath = "/resource/locust.io/LocustTest/homeostat-samples/checkout";
const tenantPath = "/resource/neurallog.io/Tenant/-/acme";
const buttonNamed = (name: string): string =>
  `[...document.querySelectorAll("main button")].find((button) => button.textContent === ${JSON.stringify(name)} && button.closest("dialog") === null)`;
const mainText = "document.querySelector('main').innerText";

/** Declares the tests of the pages of load tests and tenants. */
export function kindPartTests({ browser, origin }: DashboardStage): void {
  /** Presses a button and confirms its dialog. */
  async function act(name: string): Promise<void> {
    await browser().until(buttonNamed(name));
    await browser().evaluate(`${buttonNamed(name)}.click()`);
    await browser().until(`document.querySelector("dialog[open] button[type=submit]")`);
    await browser().evaluate(`document.querySelector("dialog[open] button[type=submit]").click()`);
    await browser().until(`document.querySelector("dialog[open]") === null`);
  }

  it("shows the charts of a load test from its start, with thresholds and the verdict", async () => {
    await browser().open(`${origin()}${testPath}`);

    await browser().until(buttonNamed("Run again"));
    const label = `document.querySelectorAll(".plot")[4].getAttribute("aria-label")`;
    await browser().until(`/p99 since the start: latest \\d/.test(${label})`);

    assert.match(String(await browser().evaluate(label)), /threshold p95ResponseTime max 500/);
    const users = await browser().evaluate(`document.querySelector(".plot").getAttribute("aria-label")`);
    assert.match(String(users), /largest 40/, "points from before the page was opened");
    assert.match(String(await browser().evaluate(mainText)), /Passed[^]*Thresholds[^]*p95ResponseTime[^]*Totals/);
  });

  it("moves the values of a chart by keyboard", async () => {
    await browser().evaluate(`document.querySelector(".plot").focus()`);
    await browser().press("ArrowLeft");
    await browser().press("ArrowLeft");

    await browser().until(`/ at /.test(document.querySelector(".chart figcaption").textContent)`);
  });

  it("downloads the points as CSV", async () => {
    const folder = mkdtempSync(join(tmpdir(), "downloads-"));
    try {
      await browser().setDownloads(folder);
      await browser().evaluate(`${buttonNamed("Download CSV")}.click()`);
      const end = performance.now() + 30_000;
      const found = (): string | undefined => readdirSync(folder).find((name) => name.endsWith(".csv"));
      while (found() === undefined && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));

      assert.equal(found(), "checkout-run-1.csv");
      assert.match(
        readFileSync(join(folder, "checkout-run-1.csv"), "utf8"),
        /^run,at,users,[^\n]+\r\nhomeostat-samples\/checkout@1,2\d{3}-/,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("runs a load test again and stops it", async () => {
    await act("Run again");
    await browser().until(`${mainText}.includes("Load test, run 2")`);
    await browser().until(`/Users: latest [1-9]/.test(document.querySelector(".plot").getAttribute("aria-label"))`);
    await act("Stop");

    await browser().until(`/Aborted: .*stopped in the dashboard/.test(${mainText})`);
  });

  it("compares runs side by side", async () => {
    const query = "test=homeostat-samples/checkout@1&test=homeostat-samples/checkout@2";
    await browser().open(`${origin()}/compare?${query}`);

    await browser().until(
      `/run 1: latest \\d[^]*run 2: latest \\d/.test(document.querySelector(".plot")?.getAttribute("aria-label"))`,
    );
    assert.match(String(await browser().evaluate(mainText)), /Verdict\s+Passed\s+Aborted/);
  });

  it("shows the components of a tenant, hibernates and resumes it", async () => {
    await browser().open(`${origin()}${tenantPath}`);
    await browser().until(`/Server\\s+Running[^]*Redis\\s+Running/.test(${mainText})`);
    await browser().until(`${mainText}.includes("The tenant has no quota")`);
    assert.match(String(await browser().evaluate(mainText)), /Redis password\s+Rotated \d+ \w+ ago/);

    await act("Hibernate");
    await browser().until(`/Server\\s+Hibernated/.test(${mainText})`);
    await act("Resume");

    await browser().until(`/Server\\s+Running[^]*Redis\\s+Running/.test(${mainText})`);
  });
}
