// Works through keys with a queue: the same key waits once, a failed one waits longer, and a stop loses nothing silently.
//
// Prints:
//   a, because of: created, changed
//   b, because of: created
//   b failed once and comes again in 5 ms
//   b, because of: retry
//   the queue is closed

import { systemClock } from "@homeostat/core";
import { exponentialBackoff, maxOf, tokenBucket, WorkQueue } from "@homeostat/runtime";

// region: make
const clock = systemClock;
const queue = new WorkQueue({
  name: "tenants",
  clock,
  // Whichever wait is longer: of the key, from 5 ms to 1,000 s; or of all keys together, ten a second.
  retry: maxOf(exponentialBackoff({ baseMs: 5, capMs: 1_000_000 }), tokenBucket({ perSecond: 10, burst: 100, clock })),
});
// endregion

// region: add
queue.add("a", { reason: "created" });
queue.add("b", { reason: "created" });
queue.add("a", { reason: "changed" }); // one turn, both reasons
// endregion

// region: take
let failures = 0;
for await (const item of queue.take()) {
  console.log(`${item.key}, because of: ${item.reasons.join(", ")}`);
  if (item.key === "b" && failures === 0) {
    failures += 1;
    const retry = queue.fail(item);
    console.log(`b failed once and comes again in ${retry?.delayMs} ms`);
  } else {
    queue.forget(item.key); // the next failure is a first one again
    queue.done(item);
    if (item.key === "b") queue.close();
  }
}
console.log("the queue is closed");
// endregion
