import { median } from "../harness/measure.ts";
import type { RequestCounts } from "../operators/audit-log.ts";
import { mb } from "../operators/phase.ts";
import type { CompileCost } from "./compile-cost.ts";
import type { Creation, OperatorNumbers } from "./measure.ts";
import { background, workOf } from "./work-requests.ts";

/** All measured numbers. */
export interface SandboxNumbers extends OperatorNumbers {
  readonly compileCosts: readonly CompileCost[];
}

/** Limits of the measured numbers. */
export const limits = {
  rssBytes: 160e6,
  cpuShare: 0.1,
  restartSeconds: 30,
  readySeconds: 5,
  /** Requests of one creation. The first change of a table takes one more than others: the runtime moves its fields to server-side apply. */
  requests: 11,
  /** Cost of a change of the same ten sandboxes among the most sandboxes, divided by that among the fewest. */
  growth: 1.25,
} as const;

/** Returns a message for each exceeded limit. */
export function exceededLimits(numbers: SandboxNumbers): string[] {
  const { sandboxes, memory, idle, restarts, creations, unchanged, compileCosts } = numbers;
  const messages: string[] = [];
  const check = (isWithin: boolean, message: string): unknown => (isWithin ? undefined : messages.push(message));
  for (const [when, { rssBytes }] of [["at rest", memory] as const, ["after a restart", restarts.memory] as const])
    check(rssBytes <= limits.rssBytes, `${mb(rssBytes)} ${when}, limit ${mb(limits.rssBytes)}`);
  const share = idle.cpuSeconds / idle.seconds;
  check(share <= limits.cpuShare, `${share.toFixed(3)} of a core at rest, limit ${limits.cpuShare}`);
  check(workOf(idle.requests) === 0, `the idle operator sent ${kinds(idle.requests)}`);
  const reconciledSeconds = Math.min(...restarts.rounds.map((round) => round.reconciledSeconds));
  check(
    reconciledSeconds <= limits.restartSeconds,
    `a restart took ${reconciledSeconds.toFixed(1)} s, limit ${limits.restartSeconds} s`,
  );
  check(changesOf(restarts.requests) === 0, `a restart sent ${kinds(restarts.requests)}`);
  check(restarts.isUnchanged, "objects have another version after a restart");
  const requests = Math.max(...creations.map((creation) => workOf(creation.requests)));
  check(requests <= limits.requests, `${requests} requests for a new sandbox, limit ${limits.requests}`);
  const ready = Math.max(...creations.map((creation) => creation.ready));
  check(
    ready <= limits.readySeconds,
    `a sandbox was ready after ${ready.toFixed(2)} s, limit ${limits.readySeconds} s`,
  );
  check(workOf(unchanged.requests) === 0, `reconciles of unchanged sandboxes sent ${kinds(unchanged.requests)}`);
  check(unchanged.reconciles >= sandboxes, `only ${unchanged.reconciles} reconciles were triggered`);
  const factor = growthOf(numbers);
  check(factor <= limits.growth, `a change costs ${factor.toFixed(2)} times as much with most sandboxes`);
  for (const { sandboxes: count, tablesMax } of compileCosts)
    check(tablesMax === 2, `a change of two forks changed ${tablesMax} tables with ${count} sandboxes`);
  return messages;
}

/** Returns the cost of a change of the same ten sandboxes among the most sandboxes, divided by that among the fewest. */
export function growthOf({ compileCosts }: SandboxNumbers): number {
  const [first] = compileCosts;
  const last = compileCosts.findLast(({ changed }) => changed === first?.changed);
  return (last?.cpuMicroseconds ?? Number.NaN) / (first?.cpuMicroseconds ?? Number.NaN);
}

/** Formats the numbers as Markdown tables. */
export function formatNumbers(numbers: SandboxNumbers): string {
  const { sandboxes, memory, peakRssBytes, idle, restarts, unchanged, growth, change, creations, compileCosts } =
    numbers;
  const [first] = creations;
  const early = creations.filter(({ existing }) => existing === first?.existing || existing < sandboxes / 2);
  const late = creations.filter((creation) => !early.includes(creation));
  const share = idle.cpuSeconds / idle.seconds;
  const count = sandboxes.toLocaleString("en");
  const rows: readonly (readonly [string, string, string])[] = [
    [`memory at rest, ${count} sandboxes`, "160 MB", `${mb(memory.rssBytes)}, at most ${mb(memory.maxRssBytes)}`],
    [
      "memory at rest after a restart",
      "160 MB",
      `${mb(restarts.memory.rssBytes)}, at most ${mb(restarts.memory.maxRssBytes)}`,
    ],
    ["peak memory, while most sandboxes were created at once", "", mb(peakRssBytes)],
    [`share of a core at rest, ${idle.seconds} s`, "10 %", `${(share * 100).toFixed(2)} %`],
    [`requests at rest, ${idle.seconds} s`, "0", kinds(idle.requests)],
    [
      `restart until all sandboxes are reconciled, fastest and slowest of ${restarts.rounds.length}`,
      "30 s",
      spread(restarts.rounds.map(({ reconciledSeconds }) => reconciledSeconds)),
    ],
    ["CPU time of the operator for a restart", "", spread(restarts.rounds.map(({ cpuSeconds }) => cpuSeconds))],
    ["writes and events of all restarts", "0", String(changesOf(restarts.requests))],
    ["requests for a new sandbox", String(limits.requests), range(creations, ({ requests }) => workOf(requests))],
    ["events in addition", "", range(creations, ({ requests }) => requests.events)],
    ["requests of a reconcile without a change", "0", kinds(unchanged.requests)],
    [`creation until the fork is applied, median`, "", seconds(early, late, ({ applied }) => applied)],
    [`creation until the table has the route, median`, "", seconds(early, late, ({ published }) => published)],
    [
      `creation until ready, pods ready after ${numbers.podReadySeconds} s, median`,
      "",
      seconds(early, late, ({ ready }) => ready),
    ],
    [
      `creation until ready, slowest of ${creations.length}`,
      "5 s",
      `${Math.max(...creations.map(({ ready }) => ready)).toFixed(2)} s`,
    ],
    ["CPU time of the operator for one creation, median", "", millis(early, late, ({ cpuSeconds }) => cpuSeconds)],
    [`${growth.created} sandboxes at once until all are ready`, "", `${growth.seconds.toFixed(0)} s`],
    ["requests for each of them", "", (workOf(growth.requests) / growth.created).toFixed(1)],
    ["CPU time for each of them", "", `${((growth.cpuSeconds / growth.created) * 1000).toFixed(0)} ms`],
    ["requests for a new image of one sandbox", "", String(workOf(change.requests))],
  ];
  return [
    "|  | limit | measured |",
    "| --- | ---: | ---: |",
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    "",
    "A change of one sandbox with forks of two Services, in the compiler of routes:",
    "",
    "| sandboxes | of these change | tables that change | CPU time |",
    "| ---: | ---: | ---: | ---: |",
    ...compileCosts.map(
      ({ sandboxes: all, changed, tablesMax, cpuMicroseconds }) =>
        `| ${all.toLocaleString("en")} | ${changed.toLocaleString("en")} | ${tablesMax} | ${cpuMicroseconds.toFixed(0)} µs |`,
    ),
    "",
    "Requests of one creation:",
    "",
    "| request | number |",
    "| --- | ---: |",
    ...Object.entries(first?.requests.byKind ?? {})
      .filter(([kind]) => !background.has(kind))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, number]) => `| ${kind} | ${number} |`),
  ].join("\n");
}

/** Returns the number of requests that change something. A review of the operator's own permissions is none. */
function changesOf({ writes, events, byKind }: RequestCounts): number {
  return writes + events - (byKind["POST selfsubjectaccessreviews"] ?? 0);
}

function kinds({ byKind }: RequestCounts): string {
  return (
    Object.entries(byKind)
      .filter(([kind]) => !background.has(kind))
      .map(([kind, number]) => `${number} ${kind}`)
      .join(", ") || "0"
  );
}

function spread(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)} s`;
}

function range(creations: readonly Creation[], of: (creation: Creation) => number): string {
  const values = creations.map(of);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? String(most) : `${least} to ${most}`;
}

function seconds(early: readonly Creation[], late: readonly Creation[], of: (creation: Creation) => number): string {
  return both(early, late, (creations) => `${median(creations.map(of)).toFixed(2)} s`);
}

function millis(early: readonly Creation[], late: readonly Creation[], of: (creation: Creation) => number): string {
  return both(early, late, (creations) => `${(median(creations.map(of)) * 1000).toFixed(0)} ms`);
}

/** Formats a value of the first and of the last sandboxes. */
function both(
  early: readonly Creation[],
  late: readonly Creation[],
  format: (creations: readonly Creation[]) => string,
): string {
  return late.length === 0 ? format(early) : `${format(early)}; ${format(late)} with ${late[0]?.existing ?? 0} others`;
}
