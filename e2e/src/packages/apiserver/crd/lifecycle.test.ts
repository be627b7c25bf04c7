// Life cycles of CRDs on a real server and on ours.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Step } from "../cases/case.ts";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { differences } from "./compare.ts";
import { lifecycleCases } from "./lifecycle.ts";
import { type Servers, startServers } from "./servers.ts";

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;
/** Time that the controllers of the real server need. */
const settleMs = 1500;

describe("life cycles of CRDs, compared with a real server", { skip }, () => {
  let servers: Servers;

  before(async () => {
    servers = await startServers();
  });

  after(() => servers.close());

  for (const { name, steps } of lifecycleCases) {
    it(name, async () => {
      const found: string[] = [];
      let part: Step[] = [];
      const run = async (): Promise<void> => {
        found.push(...(await differences(servers, { name, steps: part }, { isBusy: true })));
        part = [];
      };

      for (const step of steps) {
        if (step !== "settle") part.push(step);
        else {
          await run();
          await sleep(settleMs);
        }
      }
      await run();

      assert.equal(found.length, 0, `${found.length} of ${steps.length} differ\n${found.slice(0, 6).join("\n\n")}`);
    });
  }
});
