import { ownRequests } from "../operators/request-count.ts";
import { formatPhases, mb, type Phase } from "../operators/phase.ts";

/** Measured numbers. */
export interface LocustNumbers {
  readonly tests: number;
  /** From the first create until every status is Running. */
  readonly started: Phase;
  /** Until every status reports both workers as connected. */
  readonly connected: Phase;
  /** Until every status is Succeeded. */
  readonly ended: Phase;
  /** Idle period afterwards. */
  readonly idle: Phase;
  readonly peakRssBytes: number;
}

const requestsMax = 6;
const rssBytesMax = 110e6;

/** Returns a message for each exceeded limit. */
export function exceededLimits({ tests, started, connected, ended, idle }: LocustNumbers): string[] {
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
  return formatPhases([started, connected, ended, idle], { each: "test", count: tests, peakRssBytes });
}
