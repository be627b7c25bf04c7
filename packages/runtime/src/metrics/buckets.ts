import { ArgumentError } from "@homeostat/core";

/** Returns `count` bounds: the first is `start`, each further one `factor` times the previous. */
export function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  const bounds: number[] = [];
  // Multiplied step by step, including the rounding errors: Go programs expose 9.999999999999999e-06, too.
  for (let bound = start; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}

/** Bounds for short and medium durations in seconds: the defaults of the Prometheus client libraries. */
export const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Bounds of `workqueue_queue_duration_seconds` and `workqueue_work_duration_seconds`: 10 ns to 1000 s. */
export const workqueueBuckets: readonly number[] = exponentialBuckets(10e-9, 10, 12);

/** Bounds of `controller_runtime_reconcile_time_seconds`: 5 ms to a minute. */
export const reconcileTimeBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** Bounds of `rest_client_request_duration_seconds` and `rest_client_rate_limiter_duration_seconds`. */
export const restClientLatencyBuckets: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** Bounds of `rest_client_request_size_bytes` and `rest_client_response_size_bytes`: 64 bytes to 16 MiB. */
export const restClientSizeBuckets: readonly number[] = [
  64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
];

/** Throws if bounds are not finite and increasing. A final `+Inf` is removed, since it is implied. */
export function checkBuckets(metric: string, bounds: readonly number[]): readonly number[] {
  const finite = bounds.at(-1) === Infinity ? bounds.slice(0, -1) : bounds.slice();
  for (const [i, bound] of finite.entries()) {
    if (!Number.isFinite(bound) || bound <= (finite[i - 1] ?? -Infinity)) {
      throw new ArgumentError({
        argument: "buckets",
        problem: `of ${metric} must be finite and increasing; ${bound} at index ${i} is not.`,
      });
    }
  }
  return finite;
}
