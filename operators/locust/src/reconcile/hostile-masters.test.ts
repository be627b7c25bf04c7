import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type AppModel, imageBaseName, serveTcp } from "@homeostat/cluster/app-model";
import { LocustTest } from "../api/locust-test.ts";
import { annotations } from "../api/names.ts";
import { locustModel } from "../app-model/locust.ts";
import { Bench, conditionOf } from "../testing/bench.ts";

const switching = "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\n";

/** An image of a user whose master responds to every request with 101 Switching Protocols, and never ends by itself. */
const hostileModel: AppModel = {
  name: "hostile",
  runs: ({ image }) => imageBaseName(image) === "hostile",
  start: (context) => {
    const server = serveTcp(context, 8089, (socket) => socket.once("data", () => socket.write(switching)));
    const close = (): void => server[Symbol.dispose]();
    const terminate = (): void => {
      close();
      context.exit({ exitCode: 0 });
    };
    return { servesPorts: true, terminate, kill: close };
  },
};

describe("a master that switches protocols", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ models: [hostileModel, locustModel] });
  });
  after(() => bench[Symbol.asyncDispose]());

  it("does not block tests of other namespaces, and can be stopped", async () => {
    const [ownNamespace, hostileNamespace] = [await bench.namespace(), await bench.namespace()];
    const env = { LIVE_STATS_ENABLED: "true", MAX_CONCURRENT_RECONCILES: "1" };
    await using operator = await bench.run(ownNamespace, { isClusterWide: true, env });
    const names = ["a", "b", "c"];
    for (const name of names) {
      await bench.create(hostileNamespace, name, {
        image: "example.com/hostile:1",
        worker: { command: "--locustfile /f.py", replicas: 1 },
      });
      await bench.phase(hostileNamespace, name, "Running");
    }

    // Each stop waits for a poll. If one never settled, it would block a controller with a single worker.
    for (const name of names) {
      const stop = { metadata: { annotations: { [annotations.stop]: "enough" } } };
      await bench.client.patch(LocustTest, { namespace: hostileNamespace, name }, { merge: stop });
    }
    await bench.pass(150_000);
    await bench.create(ownNamespace, "honest");
    const test = await bench.phase(ownNamespace, "honest", "Succeeded");

    assert.equal(conditionOf(test, "TestCompleted"), "True TestSucceeded: Test completed successfully");
    for (const name of names) await bench.phase(hostileNamespace, name, "Failed");
    assert.deepEqual(
      operator.lines.filter(({ message }) => /stuck|although its signal/.test(message)),
      [],
    );
  });
});
