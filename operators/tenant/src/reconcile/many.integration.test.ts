import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Bench } from "../testing/bench.ts";

const count = 20;

describe("many tenants at once", () => {
  it("are created with the same requests each, at most 20, and a resync writes nothing", async () => {
    await using bench = await Bench.start({ parts: "api" });
    await using operator = await bench.run();
    const names = Array.from({ length: count }, (_, index) => `t${index}`);
    for (const name of names) await bench.create(name);

    for (const name of names) await bench.phase(name, "Provisioning");
    await bench.pass(1_000);
    const sent = operator.sent.map(({ method, path, body }) => ({
      request: `${method} ${path.replace(/\?.*$/, "")}`,
      body,
    }));
    const writes = operator.writes().length;
    // Jitter spreads periodic reconciles over half a minute.
    await bench.pass(340_000, 20);
    const later = operator.sent.slice(sent.length).filter(({ path }) => path.includes("/secrets/")).length;

    const ofTenant = (name: string): typeof sent =>
      sent.filter(
        ({ request, body }) => new RegExp(`[/-]${name}(?:[/-]|$)`).test(request) || body.includes(`"tenant-${name}"`),
      );
    const requestsOf = (name: string): readonly string[] =>
      ofTenant(name)
        .map(({ request }) => request.replaceAll(name, "N"))
        .toSorted();
    const [first = "", ...others] = names;
    const expected = requestsOf(first);
    for (const name of others) assert.deepEqual(requestsOf(name), expected);
    assert.ok(expected.length <= 20, `${expected.length} requests:\n${expected.join("\n")}`);
    const whole = ofTenant(first).map(({ request, body }) => `${request} ${body}`);
    assert.equal(new Set(whole).size, whole.length, "no request is sent twice");
    assert.deepEqual(operator.writes().slice(writes), []);
    assert.ok(later >= count, `${later} reconciles read the Secret again`);
  });
});
