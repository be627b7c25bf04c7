import { ownRequests } from "../operators/request-count.ts";
import { formatStretches, mb, type Stretch } from "../operators/stretch.ts";

/** Measured numbers. */
export interface LocustNumbers {
  readonly tests: number;
  /** From the first create until every status is Running. */
  readonly started: Stretch;
  /** Until every status reports both workers as connected. */
  readonly connected: Stretch;
  /** Until every status is Succeeded. */
  readonly ended: Stretch;
  /** Idle period afterwards. */
  readonly idle: Stretch;
  readonly peakRssBytes: number;
}

const requestsMax = 6;
const rssBytesMax = 110e6;

/** Returns a message for each exceeded limit. */
export function excesses({ tests, started, connected, ended, idle }: LocustNumbers): string[] {
  const perTest = ownRequests(started.requests) / tests;
  const repeated = [started, connected, ended, idle].flatMap(({ requests }) => requests.repeated);
  return [
    ...(perTest > requestsMax ? [`${perTest.toFixed(2)} requests per test, limit ${requestsMax}`] : []),
    ...(repeated.length > 0 ? [`${repeated.length} requests were sent twice, for example ${repeated[0]}`] : []),
    ...(ownRequests(idle.requests) > 0 || (idle.requests.byKind["event"] ?? 0) > 0
      ? [`the idle operator sent ${JSON.stringify(idle.requests.byKind)}`]
      : []),
    ...(idle.rssBytes > rssBytesMax ? [`${mb(idle.rssBytes)} when idle, limit ${mb(rssBytesMax)}`] : []),
  ];
}

/** Formats the numbers as a Markdown table. */
export function formatNumbers({ tests, started, connected, ended, idle, peakRssBytes }: LocustNumbers): string {
  return formatStretches([started, connected, ended, idle], { each: "test", count: tests, peakRssBytes });
}
