import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { RealCluster } from "@homeostat/kube";
import { reasonToSkip, shareCluster } from "../../../harness/cluster.ts";
import { volume } from "../../../harness/volume.ts";
import { Dice } from "./dice.ts";
import { withoutSomeFields } from "./mutate.ts";
import { comparable, created, differences } from "./ours.ts";
import { completeObjects } from "./complete-objects.ts";
import { at, Server } from "./server.ts";

const skip = await reasonToSkip({ need: "apiserver" });
const rounds = volume({ sample: 10, full: 25 }, "HOMEOSTAT_ROUNDS");
const seed = Number(process.env["HOMEOSTAT_SEED"] ?? 1);

describe("defaults, compared with a real server", { skip }, () => {
  let cluster: RealCluster;
  let server: Server;

  before(async () => {
    cluster = await shareCluster();
    server = new Server(cluster);
  });

  after(async () => {
    server.close();
    await cluster.stop();
  });

  it("are the same for partial objects of every kind", async () => {
    const dice = new Dice(seed);
    const found = new Map<string, string>();
    let accepted = 0;
    let refused = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const complete of completeObjects) {
        const body = withoutSomeFields(complete.body, dice, dice.pick([0, 0.02, 0.05, 0.1, 0.2, 0.4]));
        const path = `${complete.path}?dryRun=All&fieldValidation=Ignore`;
        const response = await server.ask({ method: "POST", path, body });
        if (response.status !== 201) {
          refused += 1;
          continue;
        }
        accepted += 1;
        const ours = created(complete, body, String(at(response.body, "metadata", "uid")));
        for (const difference of differences(comparable(ours), comparable(response.body))) {
          const place = `${complete.kind} ${difference.replace(/\.\d+\b/g, "[]").split(":")[0]}`;
          if (!found.has(place))
            found.set(place, `${complete.kind} ${difference}\n  of ${JSON.stringify(body).slice(0, 600)}`);
        }
      }
    }

    assert.deepEqual([...found.values()].slice(0, 20), []);
    assert.ok(accepted > refused / 3 && accepted > rounds * 10, `${accepted} accepted, ${refused} refused`);
    if (process.env["HOMEOSTAT_TALK"] !== undefined) process.stderr.write(`${accepted} compared, ${refused} refused\n`);
  });
});
