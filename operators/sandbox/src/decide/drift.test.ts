import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { app, deployment, service } from "../testing/fork-baselines.ts";
import { type ForkCase, forkInput, podPatch } from "../testing/fork-cases.ts";
import { type DerivedFork, deriveFork } from "../build/derive-fork.ts";
import type { ForkState } from "../build/fork-state.ts";
import { isRefusal } from "../build/refusal.ts";
import { decideDrift, type DriftDecision, type DriftInput, keepsRoutes } from "./drift.ts";
import { isRebaseRequested } from "./rebase-request.ts";

const minute = 60_000;
const nowMs = Date.UTC(2026, 0, 1);

type Object = ReturnType<typeof deployment>;

function derive(object: Object, change: Partial<ForkCase> = {}) {
  const input = forkInput({ baseline: { kind: "Deployment", object }, services: [service("cart")], ...change });
  return deriveFork(input);
}

function fork(object: Object, change: Partial<ForkCase> = {}): DerivedFork {
  const derived = derive(object, change);
  assert.ok(!isRefusal(derived), JSON.stringify(derived));
  return derived;
}

function withGeneration(object: Object, generation: number): Object {
  return { ...object, metadata: { ...object.metadata, generation } };
}

const before = fork(deployment());
const after = fork(withGeneration(deployment({ spec: { terminationGracePeriodSeconds: 9 } }), 8));

/** The state of a fork that was derived from a baseline. */
function stateOf(derived: DerivedFork, state: Partial<ForkState> = {}): ForkState {
  return { current: derived, previous: undefined, rebasedAtMs: undefined, failedRebase: undefined, ...state };
}

function decide(input: Partial<DriftInput> = {}, policy: DriftInput["entry"]["driftPolicy"] = "Follow"): DriftDecision {
  return decideDrift({
    entry: { name: "cart", driftPolicy: policy, readyTimeoutSeconds: 180 },
    fork: stateOf(before),
    state: "Ready",
    awakeSinceMs: nowMs - 60 * minute,
    derived: after,
    baseline: after.forkedFrom,
    baselineSinceMs: nowMs - minute,
    recordedGeneration: 7,
    rebaseRequest: undefined,
    settings: { debounceMs: 30_000, minIntervalMs: 5 * minute },
    nowMs,
    ...input,
  });
}

interface Row {
  readonly name: string;
  readonly input?: Partial<DriftInput>;
  readonly policy?: DriftInput["entry"]["driftPolicy"];
  readonly expected: Partial<DriftDecision>;
}

const inSync = { derived: before, baseline: before.forkedFrom };

const rows: readonly Row[] = [
  { name: "creates the first fork", input: { fork: undefined }, expected: { step: "create", drift: "InSync" } },
  {
    name: "creates nothing without a baseline",
    input: { fork: undefined, derived: undefined, baseline: undefined },
    expected: { step: "none", drift: undefined, reason: "NoBaseline" },
  },
  {
    name: "keeps a fork that is in sync",
    input: inSync,
    expected: { step: "keep", drift: "InSync", reason: "InSync" },
  },
  {
    name: "keeps a fork whose baseline has only another generation",
    input: { derived: before, baseline: { ...before.forkedFrom, generation: 99 } },
    expected: { step: "keep", drift: "InSync" },
  },
  {
    name: "keeps a fork whose baseline was deleted",
    input: { derived: undefined, baseline: undefined },
    expected: { step: "keep", drift: "Gone", reason: "BaselineGone" },
  },
  {
    name: "updates a fork whose entry has changed",
    input: { fork: stateOf({ ...before, inputHash: "old" }), ...inSync },
    expected: { step: "update", drift: "InSync" },
  },
  {
    name: "updates a pinned fork whose entry has changed, from the present baseline",
    input: { fork: stateOf({ ...before, inputHash: "old" }) },
    policy: "Pin",
    expected: { step: "update", drift: "InSync" },
  },
  {
    name: "updates a fork whose annotations were removed",
    input: { fork: stateOf(before, { current: undefined }) },
    expected: { step: "update" },
  },
  { name: "follows", expected: { step: "rebase", drift: "InSync", reportsChange: true } },
  { name: "follows while the fork is idle", input: { state: "Idle" }, expected: { step: "rebase" } },
  ...(["Pending", "Progressing", "Failed", "Missing"] as const).map((state): Row => {
    return {
      name: `waits while the fork is ${state}`,
      input: { state },
      expected: { step: "keep", drift: "Behind", reason: "BaselineChanged" },
    };
  }),
  {
    name: "waits until the baseline has been unchanged for the debounce",
    input: { baselineSinceMs: nowMs - 10_000 },
    expected: { step: "keep", drift: "Behind", requeueAfterMs: 20_000 },
  },
  {
    name: "follows as soon as the debounce has passed",
    input: { baselineSinceMs: nowMs - 30_000 },
    expected: { step: "rebase" },
  },
  {
    name: "waits for the interval since the last rebase",
    input: { fork: stateOf(before, { rebasedAtMs: nowMs - 2 * minute }) },
    expected: { step: "keep", drift: "Behind", requeueAfterMs: 3 * minute },
  },
  {
    name: "follows as soon as the interval has passed",
    input: { fork: stateOf(before, { rebasedAtMs: nowMs - 5 * minute }) },
    expected: { step: "rebase" },
  },
  {
    name: "follows a baseline that was created again with another template",
    input: { baseline: { ...after.forkedFrom, uid: "other" } },
    expected: { step: "rebase" },
  },
  {
    name: "records a baseline that was created again with the same template",
    input: { derived: before, baseline: { ...before.forkedFrom, uid: "other" } },
    policy: "Pin",
    expected: { step: "update", drift: "InSync" },
  },
  { name: "never rebases a pinned fork", policy: "Pin", expected: { step: "keep", drift: "Behind", reason: "Pinned" } },
  {
    name: "does not rebase a pinned fork on request",
    policy: "Pin",
    input: { rebaseRequest: "8" },
    expected: { step: "keep", reason: "Pinned" },
  },
  {
    name: "notifies once per generation",
    policy: "Notify",
    expected: { step: "keep", drift: "Behind", reason: "BaselineChanged", reportsChange: true },
  },
  {
    name: "does not notify again",
    policy: "Notify",
    input: { recordedGeneration: 8 },
    expected: { step: "keep", reportsChange: false },
  },
  { name: "rebases on request", policy: "Notify", input: { rebaseRequest: "8" }, expected: { step: "rebase" } },
  {
    name: "does not rebase on a request for another generation",
    policy: "Notify",
    input: { rebaseRequest: "7" },
    expected: { step: "keep", drift: "Behind" },
  },
  {
    name: "rebases on request at once",
    input: { rebaseRequest: "cart=8", baselineSinceMs: nowMs, state: "Progressing" },
    expected: { step: "rebase" },
  },
  {
    name: "does not repeat a rebase that failed",
    input: { fork: stateOf(before, { failedRebase: after.forkedFrom.templateHash }), rebaseRequest: "8" },
    expected: { step: "keep", drift: "Conflict", reason: "RebaseFailed" },
  },
  {
    name: "tries a later baseline after a rebase that failed",
    input: { fork: stateOf(before, { failedRebase: "older" }) },
    expected: { step: "rebase" },
  },
];

describe("the drift decision", () => {
  for (const { name, input = {}, policy, expected } of rows) {
    it(name, () => {
      const decision = decide(input, policy);

      for (const [key, value] of Object.entries(expected)) {
        assert.equal(new Map(Object.entries(decision)).get(key), value, `${key} of ${JSON.stringify(decision)}`);
      }
    });
  }

  it("keeps the fork if patches do not apply to the new baseline, and names patch and path", () => {
    const patches = [{ type: "JSON" as const, value: [{ op: "remove", path: "/spec/template/spec/hostname" }] }];
    const old = fork(deployment({ spec: { hostname: "h" } }), { entry: { patches } });
    const derived = derive(withGeneration(deployment(), 8), { entry: { patches } });

    const decision = decide({ fork: stateOf(old), derived });

    assert.equal(decision.step, "keep");
    assert.equal(decision.drift, "Conflict");
    assert.equal(decision.reason, "PatchConflict");
    assert.match(decision.message, /patches\[0\].*\/spec\/template\/spec\/hostname/);
    assert.equal(decide({ fork: stateOf(old), derived }, "Pin").reason, "Pinned");
  });

  it("keeps the fork if a policy no longer allows its patches", () => {
    const derived = derive(deployment(), {
      entry: { patches: [{ type: "Merge", value: podPatch({ hostPID: true }) }] },
    });

    const decision = decide({ derived, baseline: before.forkedFrom });

    assert.equal(decision.step, "keep");
    assert.match(decision.message, /hostPID/);
  });
});

describe("a rebase", () => {
  const rebasing = stateOf(after, { previous: before, rebasedAtMs: nowMs - minute });

  it("is settled when the fork is ready", () => {
    assert.equal(decide({ fork: rebasing }).step, "settle");
    assert.equal(decide({ fork: rebasing }).drift, "InSync");
  });

  it("waits for the fork until its timeout", () => {
    const decision = decide({ fork: rebasing, state: "Progressing" });

    assert.equal(decision.step, "keep");
    assert.equal(decision.requeueAfterMs, 2 * minute);
  });

  it("does not wait while the fork is idle, and counts from when it wakes", () => {
    const late = { ...rebasing, rebasedAtMs: nowMs - 60 * minute };

    assert.equal(decide({ fork: late, state: "Idle", awakeSinceMs: undefined }).step, "keep");
    assert.equal(decide({ fork: late, state: "Idle", awakeSinceMs: undefined }).requeueAfterMs, undefined);
    assert.equal(decide({ fork: late, state: "Progressing", awakeSinceMs: nowMs - minute }).requeueAfterMs, 2 * minute);
  });

  it("is reverted when the fork is not ready in time", () => {
    const decision = decide({ fork: { ...rebasing, rebasedAtMs: nowMs - 3 * minute }, state: "Failed" });

    assert.deepEqual([decision.step, decision.drift, decision.reason], ["revert", "Conflict", "RebaseFailed"]);
  });

  it("is reported if the previous template was too large to keep", () => {
    const previous = { ...before, body: undefined };
    const decision = decide({ fork: { ...rebasing, previous, rebasedAtMs: nowMs - 3 * minute }, state: "Failed" });

    assert.deepEqual([decision.step, decision.drift, decision.reason], ["keep", "Conflict", "RebaseFailed"]);
    assert.match(decision.message, /too large to keep/);
  });

  it("gives way to a changed entry", () => {
    const changed = { ...rebasing, current: { ...after, inputHash: "old" } };

    assert.equal(decide({ fork: changed, state: "Failed" }).step, "update");
  });

  it("is settled before the next one", () => {
    const next = { ...after, forkedFrom: { ...after.forkedFrom, templateHash: "third" } };

    const decision = decide({ fork: rebasing, derived: next, baseline: next.forkedFrom });

    assert.deepEqual([decision.step, decision.drift], ["settle", "Behind"]);
  });
});

describe("changes of the baseline", () => {
  const changes: readonly { name: string; isDrift: boolean; object?: Object; services?: ForkCase["services"] }[] = [
    {
      name: "an image that the entry overrides",
      isDrift: false,
      object: deployment({ spec: { containers: [{ ...app, image: "shop/cart:1.5" }] } }),
    },
    {
      name: "an image that the entry overrides, and a variable",
      isDrift: true,
      object: deployment({ spec: { containers: [{ ...app, image: "shop/cart:1.5", env: [] }] } }),
    },
    {
      name: "replicas, strategy, status and annotations of the workload",
      isDrift: false,
      object: {
        ...deployment(),
        metadata: { ...deployment().metadata, annotations: {}, generation: 12 },
        spec: { ...deployment().spec, replicas: 50, strategy: { type: "Recreate" } },
        status: {},
      },
    },
    { name: "labels of the pods", isDrift: true, object: deployment({ labels: { app: "cart" } }) },
    { name: "ports of a Service", isDrift: true, services: [service("cart", { ports: [{ port: 81 }] })] },
    { name: "a further Service", isDrift: true, services: [service("cart"), service("cart-2")] },
    {
      name: "a Service that selects other pods",
      isDrift: false,
      services: [service("cart"), service("orders", { selector: { app: "orders" } })],
    },
    {
      name: "cluster IP and node ports of a Service",
      isDrift: false,
      services: [
        service("cart", {
          clusterIP: "10.9.9.9",
          ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: 8080, nodePort: 30_001 }],
        }),
      ],
    },
  ];
  for (const { name, isDrift, object = deployment(), services = [service("cart")] } of changes) {
    it(`${isDrift ? "are" : "are no"} drift: ${name}`, () => {
      const entry = { containers: [{ name: "app", image: "shop/cart:pr-42" }] };
      const old = fork(deployment(), { entry });
      const now = fork(object, { entry, services });

      assert.equal(old.forkedFrom.templateHash !== now.forkedFrom.templateHash, isDrift);
    });
  }

  it("count for an image that the entry does not override", () => {
    const object = deployment({ spec: { containers: [{ ...app, image: "shop/cart:1.5" }] } });

    assert.notEqual(fork(deployment()).forkedFrom.templateHash, fork(object).forkedFrom.templateHash);
  });
});

describe("the request for a rebase", () => {
  const rows: readonly [text: string | undefined, isRequested: boolean][] = [
    [undefined, false],
    ["", false],
    ["8", true],
    [" 3 , 8", true],
    ["cart=8", true],
    ["orders=8", false],
    ["orders=1,cart=8", true],
    ["18", false],
    ["cart=8x", false],
    ["true", false],
    [`${",".repeat(10_000)}8`, false],
  ];
  for (const [text, isRequested] of rows) {
    it(`${isRequested ? "is" : "is not"} ${JSON.stringify(text)?.slice(0, 20)}`, () => {
      assert.equal(isRebaseRequested(text, "cart", 8), isRequested);
    });
  }
});

describe("routes to a fork without a baseline", () => {
  it("stay while a Service of the baseline remains", () => {
    assert.equal(keepsRoutes("Gone", 1), true);
    assert.equal(keepsRoutes("Gone", 0), false);
    assert.equal(keepsRoutes("Behind", 0), true);
  });
});
