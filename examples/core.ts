// Works with an object as controllers do: owner, finalizer, condition, a name that fits, and the patch that says it all.
//
// Prints:
//   default/load-worker belongs to LocustTest load
//   checkout-service-load-test-for-the-summer-sale-of-20-l95kdmbv88
//   {"metadata":{"finalizers":["example.com/outcome"]},"status":{"conditions":[{"type":"Ready","status":"True","reason":"AllReady","message":"3 of 3","lastTransitionTime":"2026-01-01T00:01:00Z"}]}}
//   409 Conflict: transient, not-applied
//   ECONNRESET on a create: transient, unknown

import {
  addFinalizer,
  apiErrorFrom,
  classify,
  controllerOf,
  deepFreeze,
  diffMergePatch,
  FakeClock,
  keyOf,
  NetworkError,
  outcomeOf,
  safeName,
  setCondition,
  setControllerReference,
} from "@homeostat/core";

const clock = new FakeClock({ now: Date.UTC(2026, 0, 1) });
const test = {
  apiVersion: "example.com/v1",
  kind: "LocustTest",
  metadata: { namespace: "default", name: "load", uid: "5f2c" },
  status: { conditions: [] },
};

// What is read is frozen; what changes it returns a new object, or the same one when nothing changes.
const job = deepFreeze({ kind: "Job", metadata: { namespace: "default", name: "load-worker" } });
const owned = setControllerReference(test, job);
const owner = controllerOf(owned);
console.log(`${keyOf(owned)} belongs to ${owner?.kind} ${owner?.name}`);

console.log(safeName({ parts: ["checkout-service", "load-test-for-the-summer-sale-of-2026", "worker-job"] }));

// A minute later, without waiting for one.
await clock.advance(60_000);
const ready = { type: "Ready", status: "True", reason: "AllReady", message: "3 of 3" } as const;
const wanted = {
  ...addFinalizer(test, "example.com/outcome"),
  status: { conditions: setCondition(test.status.conditions, ready, clock.now()) },
};
console.log(JSON.stringify(diffMergePatch(test, wanted)));

// Whether to try again is one question, whether a write took effect another.
const conflict = apiErrorFrom({ status: 409, body: '{"kind":"Status","reason":"Conflict"}' });
const broken = new NetworkError({ socketCode: "ECONNRESET" });
console.log(`409 ${conflict.reason}: ${classify(conflict)}, ${outcomeOf(conflict, "PUT")}`);
console.log(`${broken.socketCode} on a create: ${classify(broken)}, ${outcomeOf(broken, "POST")}`);
