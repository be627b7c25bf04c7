import { formatStretches, type Stretch } from "../operators/stretch.ts";

/** Everything that was measured. */
export interface TenantNumbers {
  readonly tenants: number;
  /** From the first create to the last status that says Provisioning. */
  readonly made: Stretch;
  /** Until every status says Running. */
  readonly ready: Stretch;
  /** After another look was asked for at every tenant, with nothing changed. */
  readonly again: Stretch;
  /** Afterwards, when there is nothing left to do. */
  readonly idle: Stretch;
  readonly peakRssBytes: number;
}

/** What is over its limit. */
export function excesses({ tenants, made, ready, again, idle }: TenantNumbers): string[] {
  const repeated = [made, ready, again, idle].flatMap(({ requests }) => requests.repeated.filter(isWrite));
  const rewritten = Object.entries(again.requests.byKind).filter(([kind]) => isWrite(kind) || kind === "event");
  const looks = again.requests.byKind["GET secrets"] ?? 0;
  // There are no pods here, only counts of them: once a minute each tenant looks for the events that would say why.
  const usual = new Set(["WATCH", "lease", "GET secrets", "LIST events"]);
  const unexpected = Object.entries(idle.requests.byKind).filter(([kind]) => !usual.has(kind));
  return [
    ...(repeated.length > 0 ? [`${repeated.length} writes were sent twice, such as ${repeated[0]}`] : []),
    ...(rewritten.length > 0 ? [`a look at unchanged tenants has sent ${JSON.stringify(rewritten)}`] : []),
    // Every pass reads the Secret of its tenant: else nobody has looked.
    ...(looks < tenants ? [`only ${looks} of ${tenants} tenants were looked at again`] : []),
    ...(unexpected.length > 0 ? [`an operator with nothing to do has sent ${JSON.stringify(unexpected)}`] : []),
  ];
}

function isWrite(request: string): boolean {
  return /^(?:POST|PUT|PATCH|DELETE) /.test(request);
}

/** The numbers as a table in Markdown. */
export function formatNumbers({ tenants, made, ready, again, idle, peakRssBytes }: TenantNumbers): string {
  return formatStretches([made, ready, again, idle], { each: "tenant", count: tenants, peakRssBytes });
}
