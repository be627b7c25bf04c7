import type { Service } from "./service.ts";

/**
 * Returns a service that calls a function each time this process stops leading or shuts down. Use it to clear metrics that only the leader may
 * report.
 *
 * @example
 * services: [afterLeading("site-metrics", () => metrics.clear())];
 */
export function afterLeading(name: string, act: () => void): Service {
  return {
    name,
    when: "leading",
    run: (signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          try {
            resolve(act());
          } catch (error) {
            reject(error);
          }
        };
        if (signal.aborted) end();
        else signal.addEventListener("abort", end, { once: true });
      }),
  };
}
