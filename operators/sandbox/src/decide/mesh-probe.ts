// Decides from probe routes whether the mesh of a namespace accepts routes, and regular expressions in them.
//
// A probe is a route of the operator with a regular expression. An annotation records its creation time. A new probe replaces it every hour,
// alternating between two names: the old probe is kept until the mesh has accepted or rejected the new one, so a result is always available.

/** Time after which a mesh that has neither accepted nor rejected a probe is considered absent. */
export const probePatienceMs = 30_000;

/** Interval between probes. */
export const probeIntervalMs = 3_600_000;

/** Verdict of a mesh: it accepts the probe, it accepts only routes without regular expressions, or it rejects routes. */
export type ProbeVerdict = "accepted" | "noRegex" | "rejected";

/** A probe route in the cluster. */
export interface Probe {
  readonly slot: 0 | 1;
  /** Time at which it was created. */
  readonly probedAt: number;
  /** Undefined until a mesh has accepted or rejected it. */
  readonly verdict: ProbeVerdict | undefined;
}

/** The result of all probes of a namespace. `absent`: no mesh has accepted or rejected the probe in time. */
export type ProbeResult = ProbeVerdict | "absent" | "pending";

/** The result of probes, and the probes that should exist. */
export interface ProbePlan {
  readonly result: ProbeResult;
  readonly desired: readonly Pick<Probe, "slot" | "probedAt">[];
  /** Time until the plan changes without an event. */
  readonly nextMs: number;
}

/** Plans the probes of a namespace. */
export function planProbes(probes: readonly Probe[], now: number): ProbePlan {
  const [newest, ...older] = probes.toSorted((a, b) => b.probedAt - a.probedAt);
  if (newest === undefined)
    return { result: "pending", desired: [{ slot: 0, probedAt: now }], nextMs: probePatienceMs };
  const age = now - newest.probedAt;
  const result = resultOf(probes, now);
  // A time in the future was written by a clock that was wrong.
  if (age >= probeIntervalMs || age < -probePatienceMs) {
    const next = { slot: newest.slot === 0 ? 1 : 0, probedAt: now } as const;
    return { result, desired: [newest, next], nextMs: probePatienceMs };
  }
  const isJudged = newest.verdict !== undefined || age >= probePatienceMs;
  const nextMs = isJudged ? probeIntervalMs - age : probePatienceMs - age;
  return { result, desired: isJudged ? [newest] : [newest, ...older], nextMs: Math.max(1, nextMs) };
}

/** Returns the result of the newest probe, or of the previous one while the newest has no verdict. */
export function resultOf(probes: readonly Probe[], now: number): ProbeResult {
  const [newest, ...older] = probes.toSorted((a, b) => b.probedAt - a.probedAt);
  if (newest === undefined) return "pending";
  if (newest.verdict !== undefined) return newest.verdict;
  if (now - newest.probedAt >= probePatienceMs) return "absent";
  return older.find(({ verdict }) => verdict !== undefined)?.verdict ?? (older.length > 0 ? "absent" : "pending");
}
