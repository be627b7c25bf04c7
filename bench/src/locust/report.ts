import { ownRequests, type RequestReport } from "./request-count.ts";

/** What one part of the life of all tests took. */
export interface Stretch {
  readonly what: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  readonly requests: RequestReport;
}

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
export function formatNumbers(numbers: LocustNumbers): string {
  const { tests, started, connected, ended, idle, peakRssBytes } = numbers;
  const row = ({ what, seconds, cpuSeconds, rssBytes, requests }: Stretch): string => {
    const own = ownRequests(requests);
    const cells = [seconds.toFixed(1), cpuSeconds.toFixed(2), mb(rssBytes), String(own), (own / tests).toFixed(2)];
    return `| ${[what, ...cells, String(requests.repeated.length), kinds(requests)].join(" | ")} |`;
  };
  return [
    `| ${tests} tests | s | CPU, s | memory at its end | requests | for each test | sent twice | by kind |`,
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ...[started, connected, ended, idle].map(row),
    "",
    `The most memory it ever took: ${mb(peakRssBytes)}.`,
  ].join("\n");
}

function kinds({ byKind }: RequestReport): string {
  const sorted = Object.entries(byKind).sort(([, one], [, other]) => other - one);
  return sorted.map(([kind, count]) => `${count} ${kind}`).join(", ") || "none";
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
