import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clusterResolver } from "./resolve-service.ts";

const service = { namespace: "team", name: "hook", port: 443 };
const pod = { host: "127.0.0.1", port: 4001 };
const other = { host: "127.0.0.1", port: 4002 };

describe("clusterResolver", () => {
  it("returns the address of a simulated pod behind the Service", async () => {
    const asked: unknown[] = [];
    const resolve = clusterResolver({ resolve: (...query) => (asked.push(query), pod) }, undefined);

    assert.deepEqual(await resolve(service), pod);
    assert.deepEqual(asked, [["hook.team.svc", 443, "team"]]);
  });

  it("prefers the resolver of the caller, and keeps its reason when nothing listens", async () => {
    const preferred = clusterResolver({ resolve: () => pod }, () => other);
    const refused = clusterResolver({ resolve: () => undefined }, () => "not here");
    const absent = clusterResolver({ resolve: () => undefined }, undefined);

    assert.deepEqual(await preferred(service), other);
    assert.equal(await refused(service), "not here");
    assert.equal(await absent(service), 'service "hook" not found');
  });
});
