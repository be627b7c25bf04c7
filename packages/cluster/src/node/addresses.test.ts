import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "@homeostat/client";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { Pod, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { startCluster } from "../start/start-cluster.ts";

const namespace = "default";

describe("a node with few addresses and little capacity", () => {
  it("runs many more pods than it has addresses, one after the other", async () => {
    const clock = new FakeClock();
    const capacity = { cpu: "4", memory: "8Gi", pods: "8" };
    // Five addresses for up to eight pods at a time.
    const nodes = [{ podCidr: "10.9.0.0/29", capacity }];
    await using cluster = await startCluster({ clock, random: new SeededRandom(1), nodes });
    using client = createClient(cluster.transport(), { clock });
    const advance = async (seconds: number): Promise<void> => {
      for (let step = 0; step < seconds * 10; step += 1) await clock.advance(100);
    };
    // Pods are refused until the controllers, which load in the background, have created it.
    while ((await client.get(ServiceAccount, { namespace, name: "default" })) === undefined) await advance(1);
    const simulate = JSON.stringify({ exitAfter: "1s" });

    for (let n = 0; n < 40; n += 1) {
      await client.create(Pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { namespace, name: `p${n}`, annotations: { "homeostat.dev/simulate": simulate } },
        spec: { restartPolicy: "Never", containers: [{ name: "a", image: "example.com/a:1" }] },
      });
    }
    let running = new Set<string>();
    for (let seconds = 0; seconds < 30; seconds += 1) {
      await advance(1);
      const { items } = await client.list(Pod, { namespace });
      const ips = items.flatMap(({ status }) => (status?.phase === "Running" ? [status.podIP ?? ""] : []));
      assert.equal(new Set(ips).size, ips.length, "no two running pods have the same address");
      running = new Set([...running, ...ips]);
    }
    const { items } = await client.list(Pod, { namespace });

    assert.deepEqual(new Set(items.map(({ status }) => status?.phase)), new Set(["Succeeded"]));
    assert.ok(running.size <= 5, [...running].join(" "));
  });
});
