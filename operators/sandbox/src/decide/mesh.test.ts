import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planProbes, type Probe, probeIntervalMs, probePatienceMs, resultOf } from "./mesh-probe.ts";
import { decideProvider, type ProviderInput } from "./mesh-provider.ts";

const now = 1_000_000_000;

function probe(slot: 0 | 1, ageMs: number, verdict?: Probe["verdict"]): Probe {
  return { slot, probedAt: now - ageMs, verdict };
}

describe("planProbes", () => {
  const cases: Readonly<Record<string, [probes: readonly Probe[], result: string, slots: readonly number[]]>> = {
    "no probe: creates one": [[], "pending", [0]],
    "a new probe: waits": [[probe(0, 1_000)], "pending", [0]],
    "a new probe that is accepted": [[probe(0, 1_000, "accepted")], "accepted", [0]],
    "a probe without judgement after the time for it": [[probe(0, probePatienceMs)], "absent", [0]],
    "an old probe: creates the other one": [[probe(0, probeIntervalMs, "noRegex")], "noRegex", [0, 1]],
    "an old probe in the other slot": [[probe(1, probeIntervalMs, "accepted")], "accepted", [1, 0]],
    "two probes, the newer one without judgement": [
      [probe(0, probeIntervalMs, "accepted"), probe(1, 5_000)],
      "accepted",
      [1, 0],
    ],
    "two probes, the newer one judged": [
      [probe(0, probeIntervalMs, "accepted"), probe(1, 5_000, "noRegex")],
      "noRegex",
      [1],
    ],
    "two probes, the newer one never judged": [
      [probe(0, probeIntervalMs + probePatienceMs, "accepted"), probe(1, probePatienceMs)],
      "absent",
      [1],
    ],
    "a new probe after one that was never judged": [[probe(0, probeIntervalMs), probe(1, 1_000)], "absent", [1, 0]],
    "a probe of a clock in the future": [[probe(0, -probeIntervalMs, "accepted")], "accepted", [0, 1]],
  };
  for (const [name, [probes, result, slots]] of Object.entries(cases)) {
    it(name, () => {
      const plan = planProbes(probes, now);

      assert.equal(plan.result, result);
      assert.equal(resultOf(probes, now), result);
      assert.deepEqual(
        plan.desired.map(({ slot }) => slot),
        slots,
      );
      assert.ok(plan.nextMs > 0 && plan.nextMs <= probeIntervalMs);
    });
  }
});

describe("decideProvider", () => {
  const both = { gatewayapi: true, istio: true };
  const base: ProviderInput = { interception: "Mesh", setting: "auto", served: both, usesIstio: false };
  const cases: Readonly<Record<string, [input: Partial<ProviderInput>, provider: string]>> = {
    "prefers the Gateway API": [{}, "gatewayapi"],
    "prefers what the Service uses": [{ usesIstio: true }, "istio"],
    "waits until the use of Istio is known": [{ usesIstio: undefined }, "unknown"],
    "does not wait if Istio is not installed": [
      { usesIstio: undefined, served: { gatewayapi: true, istio: false } },
      "gatewayapi",
    ],
    "uses Istio if it is the only one": [{ served: { gatewayapi: false, istio: true } }, "istio"],
    "finds none if none is installed": [{ served: { gatewayapi: false, istio: false } }, "none"],
    "obeys the setting": [{ setting: "gatewayapi", usesIstio: true }, "gatewayapi"],
    "obeys the setting for Istio": [{ setting: "istio" }, "istio"],
    "does not replace a mesh that is set and not installed": [
      { setting: "istio", served: { gatewayapi: true, istio: false } },
      "none",
    ],
    "obeys none": [{ setting: "none" }, "none"],
    "leaves other modes alone": [{ interception: "Takeover" }, "none"],
  };
  for (const [name, [input, provider]] of Object.entries(cases)) {
    it(name, () => assert.equal(decideProvider({ ...base, ...input }), provider));
  }
});
