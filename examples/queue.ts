// Processes keys from a work queue: keys are deduplicated, and failed keys are retried with backoff.
//
// Prints:
//   a, because of: created, changed
//   b, because of: created
//   b failed and is retried in 5 ms
//   b, because of: retry
//   the queue is closed

import { systemClock } from "@homeostat/core";
import { exponentialBackoff, maxOf, tokenBucket, WorkQueue } from "@homeostat/runtime";

// region: make
const clock = systemClock;
const queue = new WorkQueue({
  name: "tenants",
  clock,
  // The longer of two delays: per key, from 5 ms to 1,000 s; for all keys together, ten retries per second.
  retry: maxOf(exponentialBackoff({ baseMs: 5, capMs: 1_000_000 }), tokenBucket({ perSecond: 10, burst: 100, clock })),
});
// endregion

// region: add
queue.add("a", { reason: "created" });
queue.add("b", { reason: "created" });
queue.add("a", { reason: "changed" }); // merged with the first: one item, both reasons
// endregion

// region: take
let failures = 0;
for await (const item of queue.take()) {
  console.log(`${item.key}, because of: ${item.reasons.join(", ")}`);
  if (item.key === "b" && failures === 0) {
    failures += 1;
    const retry = queue.fail(item);
    console.log(`b failed and is retried in ${retry?.delayMs} ms`);
  } else {
    queue.forget(item.key); // resets the backoff of the key
    queue.done(item);
    if (item.key === "b") queue.close();
  }
}
console.log("the queue is closed");
// endregion
