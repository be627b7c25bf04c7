// Tests of the pages about streaming clusters and sandbox environments. `browser.test.ts` includes them, so that the program starts once.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { Browser } from "../../harness/browser.ts";
import { type DashboardStage, openPage } from "./page-checks.ts";
import type { PageName } from "./pages.ts";

const namespace = "homeostat-samples";
const mainText = "document.querySelector('main').innerText";

/** Declares the tests of the pages about streaming clusters and sandbox environments. */
export function clusterPageTests(stage: DashboardStage): void {
  const open = (page: PageName): Promise<Browser> => openPage(stage, page);

  /** Clicks the first button with a text. */
  const click = (text: string, within = "main"): string =>
    `[...document.querySelectorAll(${JSON.stringify(`${within} button`)})].find((button) => button.innerText.trim() === ${JSON.stringify(text)}).click()`;

  it("shows roles, the leader and the progress of a streaming cluster", async () => {
    const browser = await open("cluster");

    await browser.until(`/Leader\\s+events-controller-\\d/.test(${mainText})`);
    const text = String(await browser.evaluate(mainText));
    assert.match(text, /events-controller-0\s+controller/);
    assert.match(text, /ingest: \d of \d ready, \d up to date/);
  });

  it("shows the key of a sandbox in all forms, and its differences from the baseline", async () => {
    const browser = await open("sandbox");

    const text = String(await browser.evaluate("document.querySelector('main').textContent"));
    assert.match(text, /x-routing-key: pr-42/);
    assert.match(text, /baggage: routing-key=pr-42/);
    assert.match(text, /curl -H "x-routing-key: pr-42" http:\/\/cart\.homeostat-samples\.svc:80\//);
    assert.match(text, /spec\.containers\[app\]\.image\S*nginx/);
  });

  it("extends a sandbox", async () => {
    const browser = await open("sandbox");
    const expiry = `[...document.querySelectorAll(".fields dt")].find(({ innerText }) => innerText === "Expires").nextSibling.innerText`;
    await browser.until(`/\\(\\d{4}-/.test(${expiry})`);
    const before = expiryIn(await browser.evaluate(expiry));

    await browser.evaluate(click("Extend"));
    await browser.until(`document.querySelector("dialog[open]")`);
    await browser.evaluate(click("Extend", "dialog[open]"));
    await browser.until(`!document.querySelector("dialog[open]")`);

    await browser.until(`Date.parse(/\\((.*)\\)/.exec(${expiry})[1]) === ${before + 4 * 3_600_000}`);
  });

  it("extends selected sandboxes of the list", async () => {
    const browser = await open("sandboxes");

    await browser.evaluate(`document.querySelector('input[aria-label="Select pr-42"]').click()`);
    await browser.until(`document.querySelector("main").innerText.includes("1 selected")`);
    await browser.evaluate(click("Extend selected"));
    await browser.until(`document.querySelector("dialog[open]")`);
    await browser.evaluate(click("Extend selected", "dialog[open]"));

    await browser.until(`!document.querySelector("dialog[open]")`);
  });

  it("explains a request with the key and one without", async () => {
    const browser = await open("explain");
    const explain = async (headers: string): Promise<string> => {
      const values = JSON.stringify({ namespace, service: "cart", headers });
      await browser.evaluate(
        `{ const values = ${values}; for (const name in values) document.forms[0].elements[name].value = values[name]; document.forms[0].requestSubmit(); }`,
      );
      const isAnswered = `document.querySelector(".outcome")`;
      await browser.until(`${isAnswered} && !${isAnswered}.isOld`);
      const text = String(await browser.evaluate(`${isAnswered}.innerText`));
      await browser.evaluate(`${isAnswered}.isOld = true`);
      return text;
    };

    assert.match(await explain(""), /^The baseline .* receives the request/);
    assert.match(await explain("x-routing-key: pr-42"), /^The workload cart of sandbox pr-42 receives the request/);
  });

  it("follows the log of a pod of a sandbox", async () => {
    const browser = await open("sandbox");

    await browser.evaluate(
      `[...document.querySelectorAll("summary")].find(({ innerText }) => innerText === "Logs of the pods").click()`,
    );

    await browser.until(`document.querySelector(".log") && /Container app: Running/.test(${mainText})`);
  });

  it("creates a sandbox after its preview", async () => {
    const browser = await open("new-sandbox");
    const field = (label: string): string =>
      `[...document.querySelectorAll("main label")].find((one) => one.firstChild.textContent === ${JSON.stringify(label)}).control`;
    const enter = async (label: string, value: string, event = "input"): Promise<unknown> =>
      browser.evaluate(
        `{ const field = ${field(label)}; field.value = ${JSON.stringify(value)}; field.dispatchEvent(new Event(${JSON.stringify(event)}, { bubbles: true })); }`,
      );
    const verdict = `document.querySelector(".verdict")`;
    const button = (text: string): string =>
      `[...document.querySelectorAll("main button")].find((one) => one.innerText.trim() === ${JSON.stringify(text)})`;

    await enter("Name", "pr-77");
    await enter("Workload", "Deployment cart", "change");
    await enter("Image", "nginx:1.29");
    await enter("Lifetime", "1m");
    await browser.evaluate(click("Preview"));
    await browser.until(`${verdict}?.innerText.includes("would refuse")`);
    assert.match(String(await browser.evaluate(mainText)), /spec\.ttl: /);
    assert.equal(await browser.evaluate(`${button("Create")}.disabled`), true);

    await enter("Lifetime", "2h");
    await browser.evaluate(click("Preview"));
    await browser.until(`${verdict}?.innerText.includes("policies allow it")`);
    assert.match(
      String(await browser.evaluate(`document.querySelector("pre").innerText`)),
      /kind: Sandbox[^]*ttl: "2h"/,
    );
    await browser.evaluate(click("Create"));

    await browser.until(`location.pathname === "/resource/sandbox.example.com/Sandbox/${namespace}/pr-77"`);
    await browser.until(`/x-routing-key: \\w+/.test(document.querySelector("main").textContent)`);
  });

  it("lists the routes of the map as text with links", async () => {
    const browser = await open("route-map");

    const text = String(await browser.evaluate(`document.querySelector(".routes").innerText`));
    assert.match(text, /Service cart[^]*key pr-42: to fork cart sandbox pr-42/);
    assert.equal(await browser.evaluate(`document.querySelector("svg").getAttribute("role")`), "img");
  });
}

function expiryIn(text: unknown): number {
  return Date.parse(/\((.*)\)/.exec(String(text))?.[1] ?? "");
}
