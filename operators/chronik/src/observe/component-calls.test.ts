import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, NetworkError } from "@homeostat/core";
import { ComponentClient } from "../component/client.ts";
import { quorumView, stepInput } from "../testing/observed-clusters.ts";
import { ComponentCalls } from "./component-calls.ts";
import type { Observed } from "./observed.ts";

const desired = { controller: 3, ingest: 3 };

/** Three controllers whose responses a test can make fail, and the calls that they received. */
class Controllers {
  readonly clock = new FakeClock();
  readonly calls: ComponentCalls;
  /** Addresses of the received calls. */
  received: string[] = [];
  /** Number of calls of each address that fail from now on. */
  readonly failures = new Map<string, number>();
  /** True if the image has no endpoint for the quorum. */
  isOffered = true;

  constructor() {
    const client = new ComponentClient({
      clock: this.clock,
      send: async ({ host }) => {
        this.received.push(host);
        const left = this.failures.get(host) ?? 0;
        this.failures.set(host, left - 1);
        if (left > 0) throw new NetworkError({ socketCode: "ECONNRESET" });
        const view = quorumView(Number(host.split(".").at(-1)));
        assert.ok(view.type === "response");
        return { status: this.isOffered ? 200 : 404, body: Buffer.from(JSON.stringify(view.value)) };
      },
    });
    this.calls = new ComponentCalls(client, this.clock);
  }

  /** Calls the controllers of a cluster as a reconcile does. Returns the type of each result. */
  async call(observed: Observed): Promise<readonly (string | undefined)[]> {
    this.received = [];
    const { signal } = new AbortController();
    const { controller } = await this.calls.call({ uid: "c", observed, desired, apiKey: undefined, signal });
    return controller.members.map(({ component }) => component.quorum?.type);
  }
}

const allRespond = ["response", "response", "response"];

function clusterIn(phase: "Running" | "Updating"): Observed {
  const { observed } = stepInput({ previous: { phase } });
  return {
    ...observed,
    search: { deployments: [], pods: [], slots: [], activeColor: undefined },
    nodeGroups: { controller: undefined, ingest: undefined, search: undefined },
    certificates: [],
    isBootstrapRecorded: true,
  };
}

const settled = clusterIn("Running");
const changing = clusterIn("Updating");

describe("the calls of controllers", () => {
  it("are not repeated within a minute if the cluster is settled", async () => {
    const controllers = new Controllers();

    await controllers.call(settled);
    assert.equal(controllers.received.length, 3);
    assert.deepEqual(await controllers.call(settled), allRespond);
    assert.deepEqual(controllers.received, []);
    await controllers.clock.advance(56_000);
    await controllers.call(settled);
    assert.equal(controllers.received.length, 3);
  });

  it("are repeated once in a settled cluster if they fail, so that one lost call does not change the status", async () => {
    const controllers = new Controllers();
    controllers.failures.set("10.0.0.2", 1);

    assert.deepEqual(await controllers.call(settled), allRespond);
    assert.deepEqual(controllers.received, ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.2"]);
  });

  it("are not repeated while the cluster changes: the next reconcile follows soon", async () => {
    const controllers = new Controllers();
    controllers.failures.set("10.0.0.2", 1);

    assert.deepEqual(await controllers.call(changing), ["response", "unreachable", "response"]);
    assert.equal(controllers.received.length, 3);
  });

  it("are repeated by the next reconcile if one failed, although the cluster has settled since", async () => {
    const controllers = new Controllers();
    controllers.failures.set("10.0.0.2", 1);
    await controllers.call(changing);

    assert.deepEqual(await controllers.call(settled), allRespond);
    assert.equal(controllers.received.length, 3);
  });

  it("are remembered if the image does not offer the endpoint", async () => {
    const controllers = new Controllers();
    controllers.isOffered = false;
    await controllers.call(settled);

    assert.deepEqual(await controllers.call(settled), ["notOffered", "notOffered", "notOffered"]);
    assert.deepEqual(controllers.received, []);
  });
});
