// The overview of 5,000 resources in a browser: it draws only the visible rows.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { type LoopbackDashboard, serveOnLoopback } from "@homeostat/dashboard";
import { defineResource, s } from "@homeostat/schema";
import { Browser } from "../../harness/browser.ts";
import { whyNoProgram } from "../../harness/debian-programs.ts";
import { installKind } from "../../harness/install-kind.ts";

const skip = (await whyNoProgram("chromium")) ?? false;
const count = 5_000;
/** Requests that are sent at the same time. */
const workers = 16;

const Site = defineResource({ group: "example.com", version: "v1", kind: "Site", spec: { size: s.int().default(1) } });

describe("the dashboard of a cluster with 5,000 resources", { skip, timeout: 300_000 }, () => {
  let cluster: Cluster;
  let client: Client;
  let dashboard: LoopbackDashboard;
  let browser: Browser;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    const connection = cluster.connection();
    client = createClient(connection);
    await installKind(client, Site.crd({ labels: { "app.kubernetes.io/name": "site-operator" } }));
    let next = 0;
    const create = async (): Promise<void> => {
      while (next < count) {
        const name = `site-${String((next += 1)).padStart(4, "0")}`;
        await client.create(Site, Site.make({ metadata: { namespace: "default", name }, spec: {} }));
      }
    };
    await Promise.all(Array.from({ length: workers }, create));
    const onError = (error: unknown): void => assert.fail(String(error));
    dashboard = await serveOnLoopback({ client, connection, port: 0, onError });
    browser = await Browser.start();
    await browser.setSize(1280, 900);
    await browser.open(dashboard.url);
    await browser.until(`location.pathname === "/" && document.querySelector(".list-body")`);
  });
  after(async () => {
    await browser?.[Symbol.asyncDispose]();
    await dashboard?.[Symbol.asyncDispose]();
    client?.close();
    await cluster?.stop();
  });

  const rows = `document.querySelectorAll(".list-body .list-row").length`;

  it("lists all of them and draws the visible rows", async () => {
    assert.match(String(await browser.evaluate(`document.querySelector(".count").innerText`)), /^5000 All$/);
    assert.equal(await browser.evaluate(`document.querySelector(".list").getAttribute("aria-rowcount")`), "5001");
    assert.ok(Number(await browser.evaluate(rows)) < 50);
  });

  it("scrolls to the last row", async () => {
    await browser.evaluate(`document.querySelector(".list-body").scrollTo(0, 1e9)`);

    await browser.until(`document.querySelector('.list-body [aria-rowindex="5001"]')`);
    assert.ok(Number(await browser.evaluate(rows)) < 50);
  });

  it("ends its stream when another page is opened", async () => {
    await browser.open("about:blank");
    const end = performance.now() + 30_000;
    while (dashboard.streams > 0) {
      assert.ok(performance.now() < end, `${dashboard.streams} streams are open`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }

    await browser.open(`http://127.0.0.1:${dashboard.port}/`);
    await browser.until(`document.querySelector(".list-body")`);
    assert.equal(dashboard.streams, 1);
  });

  it("finds one of them, and shows its change", async () => {
    await browser.press("/");
    await browser.type("site-2345");
    await browser.until(`${rows} === 1`);

    await client.patch(
      Site,
      { namespace: "default", name: "site-2345" },
      { merge: { metadata: { finalizers: ["example.com/hold"] } } },
    );
    await client.delete(Site, { namespace: "default", name: "site-2345" });

    await browser.until(`document.querySelector(".list-body .state").innerText === "Deleting"`);
    assert.deepEqual(browser.takeProblems(), []);
  });
});
