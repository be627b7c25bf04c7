import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { failure } from "../status/status.ts";
import { Faults } from "./faults.ts";
import type { Handler, ServerRequest } from "./handler.ts";
import { withTestServer } from "../testing/http-server.ts";

describe("injected faults", () => {
  it("fail, delay and cut the n-th matching request, before or after it was handled", async () => {
    const faults = new Faults();
    const clock = new FakeClock();
    let handled = 0;
    const handler: Handler = async () => {
      handled += 1;
      return { status: 200, body: "ok" };
    };
    await withTestServer(handler, { faults, clock }, async (api) => {
      const status = failure({ code: 429, reason: "TooManyRequests", message: "later" });
      const isList = ({ info }: ServerRequest): boolean => info.verb === "list";
      const second = faults.add({ match: isList, nth: 2, when: "before", action: { do: "fail", status } });
      const first = await api.send("/api/v1/pods");
      const failed = await api.send("/api/v1/pods");
      assert.deepEqual([first.status, failed.status, handled, second.happened], [200, 429, 1, 1]);

      faults.add({ match: isList, when: "after", action: { do: "cut" } });
      await assert.rejects(api.send("/api/v1/pods"), /socket hang up|ECONNRESET/);
      assert.equal(handled, 2, "the request was handled although the client got no response");

      faults.add({ when: "before", action: { do: "hang" } });
      const hanging = api.send("/api/v1/pods?timeout=3s");
      while (api.server.runningCount === 0) await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(3_000);
      assert.equal((await hanging).status, 504);
    });
  });
});
