// A browser through the program of apps/proxy: a page, fetch, server-sent events and a WebSocket.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Browser } from "../../harness/browser.ts";
import { whyNoProgram } from "../../harness/debian-programs.ts";
import { key, type Stage, startStage } from "./stage.ts";
import { Upstream } from "./upstream.ts";

const skip = (await whyNoProgram("chromium")) ?? false;

describe("a browser through the proxy", { skip, timeout: 120_000 }, () => {
  const upstreams = { baseline: new Upstream("baseline"), fork: new Upstream("fork") };
  const stages = new Map<"fast" | "safe", Stage>();
  let browser: Browser;

  before(async () => {
    const addresses = { baseline: await upstreams.baseline.start(), fork: await upstreams.fork.start() };
    for (const engine of ["fast", "safe"] as const) stages.set(engine, await startStage(addresses, engine));
    browser = await Browser.start();
  });
  after(async () => {
    await browser?.[Symbol.asyncDispose]();
    for (const stage of stages.values()) await stage[Symbol.asyncDispose]();
    for (const upstream of Object.values(upstreams)) await upstream[Symbol.asyncDispose]();
  });

  for (const engine of ["fast", "safe"] as const) {
    for (const [name, headers] of [
      ["baseline", {}],
      ["fork", { "x-routing-key": key }],
    ] as const) {
      it(`uses everything that a page can send, ${engine} engine, ${name}`, async () => {
        await browser.setHeaders(headers);
        await browser.open(`http://127.0.0.1:${stages.get(engine)?.port}/page`);
        assert.equal(await browser.evaluate("document.title"), "loaded");

        const { posted, events, socket } = JSON.parse(String(await browser.evaluate("run()"))) as {
          readonly posted: { readonly server: string; readonly bodyBytes: number };
          readonly events: readonly string[];
          readonly socket: readonly string[];
        };

        assert.deepEqual([posted.server, posted.bodyBytes], [name, 300_000]);
        assert.deepEqual(events, [`${name} 0`, `${name} 1`, `${name} 2`]);
        assert.deepEqual(socket, [`${name}: one`, `${name}: two`, "closed"]);
      });
    }
  }
});
