import { formatPhases, type Phase } from "../operators/phase.ts";

/** Measured numbers. */
export interface TenantNumbers {
  readonly tenants: number;
  /** From the first create until every status is Provisioning. */
  readonly made: Phase;
  /** Until every status is Running. */
  readonly ready: Phase;
  /** Another reconcile of every tenant without changes. */
  readonly again: Phase;
  /** Idle period afterwards. */
  readonly idle: Phase;
  readonly peakRssBytes: number;
}

/** Returns a message for each exceeded limit. */
export function exceededLimits({ tenants, made, ready, again, idle }: TenantNumbers): string[] {
  const repeated = [made, ready, again, idle].flatMap(({ requests }) => requests.repeated.filter(isWrite));
  const rewritten = Object.entries(again.requests.byKind).filter(([kind]) => isWrite(kind) || kind === "event");
  const reconciles = again.requests.byKind["GET secrets"] ?? 0;
  // The workloads have no pods here, only replica counts, so each tenant lists events once a minute to find a reason.
  const usual = new Set(["WATCH", "lease", "GET secrets", "LIST events"]);
  const unexpected = Object.entries(idle.requests.byKind).filter(([kind]) => !usual.has(kind));
  return [
    ...(repeated.length > 0 ? [`${repeated.length} writes were sent twice, for example ${repeated[0]}`] : []),
    ...(rewritten.length > 0 ? [`reconciles of unchanged tenants sent ${JSON.stringify(rewritten)}`] : []),
    // Every reconcile reads the Secret of its tenant, so the reads count the reconciles.
    ...(reconciles < tenants ? [`only ${reconciles} of ${tenants} tenants were reconciled again`] : []),
    ...(unexpected.length > 0 ? [`the idle operator sent ${JSON.stringify(unexpected)}`] : []),
  ];
}

function isWrite(request: string): boolean {
  return /^(?:POST|PUT|PATCH|DELETE) /.test(request);
}

/** Formats the numbers as a Markdown table. */
export function formatNumbers({ tenants, made, ready, again, idle, peakRssBytes }: TenantNumbers): string {
  return formatPhases([made, ready, again, idle], { each: "tenant", count: tenants, peakRssBytes });
}
