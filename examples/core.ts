// Handles an object as a controller does: owner reference, finalizer, condition, safe name, merge patch and error classes.
//
// Prints:
//   default/load-worker is controlled by LocustTest load
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

// Objects read from the cache are frozen. Functions that change one return a new object, or the same one if nothing changed.
const job = deepFreeze({ kind: "Job", metadata: { namespace: "default", name: "load-worker" } });
const owned = setControllerReference(test, job);
const owner = controllerOf(owned);
console.log(`${keyOf(owned)} is controlled by ${owner?.kind} ${owner?.name}`);

console.log(safeName({ parts: ["checkout-service", "load-test-for-the-summer-sale-of-2026", "worker-job"] }));

// Move the fake clock by a minute.
await clock.advance(60_000);
const ready = { type: "Ready", status: "True", reason: "AllReady", message: "3 of 3" } as const;
const desired = {
  ...addFinalizer(test, "example.com/outcome"),
  status: { conditions: setCondition(test.status.conditions, ready, clock.now()) },
};
console.log(JSON.stringify(diffMergePatch(test, desired)));

// `classify` says whether to retry, `outcomeOf` whether the write took effect.
const conflict = apiErrorFrom({ status: 409, body: '{"kind":"Status","reason":"Conflict"}' });
const broken = new NetworkError({ socketCode: "ECONNRESET" });
console.log(`409 ${conflict.reason}: ${classify(conflict)}, ${outcomeOf(conflict, "PUT")}`);
console.log(`${broken.socketCode} on a create: ${classify(broken)}, ${outcomeOf(broken, "POST")}`);
