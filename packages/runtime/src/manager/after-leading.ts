import type { Service } from "./service.ts";

/**
 * A service that acts once each time this process stops leading, or ends: it forgets what only the leader may tell.
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
