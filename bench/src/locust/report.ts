import { ownRequests } from "../operators/request-count.ts";
import { formatStretches, mb, type Stretch } from "../operators/stretch.ts";

/** Everything that was measured. */
export interface LocustNumbers {
  readonly tests: number;
  /** From the first create to the last status that says Running. */
  readonly started: Stretch;
  /** Until every status says that both workers are there. */
  readonly connected: Stretch;
  /** Until every status says Succeeded. */
  readonly ended: Stretch;
  /** Afterwards, when there is nothing left to do. */
  readonly idle: Stretch;
  readonly peakRssBytes: number;
}

const requestsMax = 6;
const rssBytesMax = 110e6;

/** What is over its limit. */
export function excesses({ tests, started, connected, ended, idle }: LocustNumbers): string[] {
  const perTest = ownRequests(started.requests) / tests;
  const repeated = [started, connected, ended, idle].flatMap(({ requests }) => requests.repeated);
  return [
    ...(perTest > requestsMax
      ? [`${perTest.toFixed(2)} requests for each test, at most ${requestsMax} are wanted`]
      : []),
    ...(repeated.length > 0 ? [`${repeated.length} requests were sent twice, such as ${repeated[0]}`] : []),
    ...(ownRequests(idle.requests) > 0 || (idle.requests.byKind["event"] ?? 0) > 0
      ? [`an operator with nothing to do has sent ${JSON.stringify(idle.requests.byKind)}`]
      : []),
    ...(idle.rssBytes > rssBytesMax ? [`${mb(idle.rssBytes)} at rest, at most ${mb(rssBytesMax)} are wanted`] : []),
  ];
}

/** The numbers as a table in Markdown. */
export function formatNumbers({ tests, started, connected, ended, idle, peakRssBytes }: LocustNumbers): string {
  return formatStretches([started, connected, ended, idle], { each: "test", count: tests, peakRssBytes });
}
