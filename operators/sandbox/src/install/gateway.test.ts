import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client } from "@homeostat/client";
import { FakeClock } from "@homeostat/core";
import { silentLogger } from "@homeostat/runtime";
import { type GatewayKeeperOptions, gatewayKeeper } from "./gateway.ts";

const options: Omit<GatewayKeeperOptions, "isEnabled"> = {
  gateway: () => ({ systemNamespace: "sandbox-system", image: "sandbox-proxy:1" }),
};

describe("gatewayKeeper", () => {
  it("sends no request while there is no preview domain, and looks at the gateway once a minute otherwise", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const sent = { get: 0, apply: 0 };
    const client = {
      get: () => Promise.resolve(void (sent.get += 1)),
      apply: () => Promise.resolve(void (sent.apply += 1)),
    } as unknown as Client;
    let isEnabled = false;
    const keeper = gatewayKeeper({ ...options, isEnabled: () => isEnabled });
    const tools = { client, clock, log: silentLogger, reportMissingNamespace: () => false };
    const running = keeper(tools).run(stop.signal);

    await clock.advance(600_000);
    assert.deepEqual(sent, { get: 1, apply: 0 });
    isEnabled = true;
    await clock.advance(10_000);
    assert.deepEqual(sent, { get: 4, apply: 3 });
    await clock.advance(50_000);
    assert.deepEqual(sent, { get: 4, apply: 3 });
    await clock.advance(10_000);
    assert.deepEqual(sent, { get: 7, apply: 6 });

    stop.abort();
    await running;
  });
});
