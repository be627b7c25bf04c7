import type { AttemptEvent, AttemptResult, Balancer } from "../upstream/balancer.ts";

/** A balancer that takes the first target that was not tried, and records results. */
export class SimpleBalancer implements Balancer {
  readonly results: [target: string, result: AttemptResult][] = [];
  running = 0;
  isFull = false;

  choose(_workload: string, targets: readonly string[], tried?: ReadonlySet<string>): string | undefined {
    if (this.isFull) return undefined;
    return targets.find((target) => tried?.has(target) !== true) ?? targets[0];
  }

  begin(_workload: string, target: string): (event: AttemptEvent) => void {
    let isEnded = false;
    this.running += 1;
    return (event) => {
      if (isEnded || event === "answered") return;
      isEnded = true;
      this.running -= 1;
      this.results.push([target, event]);
    };
  }

  isHealthy(): boolean {
    return true;
  }
}
