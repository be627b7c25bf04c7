// The program of apps/proxy under clients that misuse HTTP/2. It ends their connections with the error of the attack, its memory stays below the limit of its
// container, and clients of both protocols are served meanwhile.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { memoryMiBMax, OverloadedProxy } from "./overloaded-proxy.ts";

const flowControlError = 3;
const enhanceYourCalm = 11;
const connections = 20;

describe("the proxy under hostile clients of HTTP/2", { timeout: 300_000 }, () => {
  let proxy: OverloadedProxy;
  let filesBefore = 0;

  before(async () => {
    const limits = "requestHeadMs=4000,streamIdleMs=4000,clientKeepAliveMs=4000";
    proxy = await OverloadedProxy.start({ limits, clients: "hostile-http2-clients.js", protocols: ["http1", "http2"] });
    filesBefore = proxy.openFiles();
  });
  after(() => proxy?.[Symbol.asyncDispose]());

  const refused: readonly (readonly [kind: string, code: number])[] = [
    ["continuations", enhanceYourCalm],
    ["resets", enhanceYourCalm],
    ["pings", enhanceYourCalm],
    ["settings", enhanceYourCalm],
    ["windows", flowControlError],
    ["bombs", enhanceYourCalm],
  ];
  for (const [kind, code] of refused)
    it(`ends connections with the error of the attack: ${kind}`, async () => {
      await proxy.open(kind, connections);

      assert.deepEqual(await proxy.closed(kind), { [code]: connections });
    });

  it("closes connections whose clients do not read", async () => {
    await proxy.open("unreadPings", connections);
    // All stalled responses together are 6.7 GB.
    await proxy.open("stalled", 2 * connections);

    while (proxy.openFiles() < filesBefore + 2 * connections) await proxy.pause();
    // Some files for the connections of other clients, and for those to the upstream.
    while (proxy.openFiles() > filesBefore + connections) await proxy.pause();
  });

  it("has used less memory than its container has, and served other clients all the time", (context) => {
    context.diagnostic(`${proxy.peakMiB().toFixed(0)} MiB, ${proxy.served} requests`);
    assert.ok(proxy.peakMiB() < memoryMiBMax, `${proxy.peakMiB()} MiB`);
    assert.deepEqual(proxy.failed, []);
    assert.ok(proxy.served > 20, `${proxy.served} requests`);
  });
});
