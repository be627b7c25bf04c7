import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, SeededRandom } from "@homeostat/core";
import { ApiServer } from "../../../server/api-server.ts";
import { ask } from "../../../testing/ask.ts";
import { standardOptions } from "../../../server/standard-options.ts";

function node(name: string, status: JsonRecord = {}): JsonRecord {
  return { apiVersion: "v1", kind: "Node", metadata: { name }, status };
}

describe("the proxy of a node", () => {
  it("reports that the node has no address, or that no kubelet can be reached", async () => {
    await using server = new ApiServer(
      standardOptions({ clock: new FakeClock({ now: 0 }), random: new SeededRandom(1) }),
    );
    const addresses = [{ type: "InternalIP", address: "10.0.0.1" }];
    await ask(server, { method: "POST", path: "/api/v1/nodes", body: node("bare") });
    await ask(server, { method: "POST", path: "/api/v1/nodes", body: node("addressed", { addresses }) });

    const messages: unknown[] = [];
    for (const id of ["bare", "https:bare:10250", "addressed", "absent:10250", "a:b:c:d"]) {
      messages.push((await ask(server, { path: `/api/v1/nodes/${id}/proxy/` })).body["message"]);
    }

    assert.deepEqual(messages, [
      "no preferred addresses found; known addresses: []",
      "no preferred addresses found; known addresses: []",
      "Internal error occurred: error dialing backend: no kubelet can be reached from this server",
      'nodes "absent" not found',
      'invalid node request "a:b:c:d"',
    ]);
  });
});
