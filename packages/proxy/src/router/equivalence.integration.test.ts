import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type EquivalenceCase, equivalenceCases } from "@homeostat/routing/equivalence";
import { EquivalenceStand, type EquivalenceSubject, reset } from "../testing/equivalence-stand.ts";

/** A case whose request an engine does not read like the others. */
interface Difference {
  /** Protocol of the clients that send the case. */
  readonly protocol: EquivalenceSubject["protocol"];
  readonly name: string;
  readonly why: string;
  /** Expected status by engine: {@link reset}, a refusal, or 200 of the baseline. */
  readonly status: Partial<Record<EquivalenceSubject["engine"], number>>;
}

const spaces = "HTTP/2 forbids whitespace at the ends of values. Node accepts it, and the value is no key.";

/** All differences. A test fails if one of them no longer occurs. */
const differences: readonly Difference[] = [
  {
    protocol: "http2",
    name: "explicit header with spaces around the key",
    why: spaces,
    status: { http2: reset, safe: 200 },
  },
  { protocol: "http2", name: "baggage: spaces and tabs", why: spaces, status: { http2: reset, safe: 200 } },
  { protocol: "http1", name: "method: longer", why: "Node knows a fixed list of methods.", status: { safe: 400 } },
];

const subjects: readonly EquivalenceSubject[] = [
  { engine: "http1", protocol: "http1" },
  { engine: "http2", protocol: "http2" },
  { engine: "safe", protocol: "http1" },
  { engine: "safe", protocol: "http2" },
];

for (const subject of subjects) {
  const title = `${subject.engine} engine with clients of ${subject.protocol}`;

  describe(`equivalence cases: ${title}`, () => {
    const stand = new EquivalenceStand(subject);
    before(async () => void (await stand.start()));
    after(() => stand[Symbol.asyncDispose]());

    for (const each of equivalenceCases) {
      const { why, status: statuses } = differences.find(
        ({ protocol, name }) => protocol === subject.protocol && name === each.name,
      ) ?? { why: "", status: {} };
      const expectedStatus = statuses[subject.engine];

      it(each.name, async () => {
        const { status, address, isHeld, counted } = await stand.run(each);

        const allowed = addressesOf(each);
        if (expectedStatus !== undefined) {
          assert.equal(status, expectedStatus, `remove this difference: ${why}`);
          assert.ok(!allowed.includes(address ?? ""), `remove this difference: ${why}`);
          return;
        }
        if (allowed.length === 0) assert.deepEqual({ status, address }, { status: 503, address: undefined });
        else
          assert.ok(allowed.includes(address ?? ""), `${address} with status ${status} instead of ${allowed.join()}`);
        assert.equal(isHeld, each.expected.type === "unavailable" && each.expected.action === "Hold");
        assert.deepEqual(counted, each.counted);
      });
    }
  });
}

/** Returns the addresses that a case allows; empty if the request must fail. */
function addressesOf({ table, port, expected }: EquivalenceCase): readonly string[] {
  if (expected.type === "entry") return expected.targets;
  const own = table.ports.find((each) => each.port === port);
  return expected.type === "baseline" && own !== undefined ? [own.baselineTarget] : [];
}
