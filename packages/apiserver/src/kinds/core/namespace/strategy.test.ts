import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { ApiServer } from "../../../server/api-server.ts";
import { ask } from "../../../testing/ask.ts";
import { valueAt } from "../../../values/fields.ts";

describe("a Namespace with a generated name", () => {
  it("is labelled with that name", async () => {
    await using server = new ApiServer({ clock: new FakeClock({ now: 0 }), random: new SeededRandom(1) });

    const { body } = await ask(server, {
      method: "POST",
      path: "/api/v1/namespaces",
      body: { apiVersion: "v1", kind: "Namespace", metadata: { generateName: "team-" } },
    });

    const name = valueAt(body, "metadata", "name");
    assert.match(String(name), /^team-[a-z0-9]{5}$/);
    assert.deepEqual(valueAt(body, "metadata", "labels"), { "kubernetes.io/metadata.name": name });
  });
});
