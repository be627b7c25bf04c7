/**
 * Ways in which a stub misbehaves, as images of users can:
 *
 * - `neverDrain`: a drain never completes.
 * - `lieAboutQuorum`: a controller claims to be the only voter and the leader.
 * - `hang`: requests of the component contract get no response.
 * - `garbage`: requests of the component contract get a response that is not JSON.
 * - `comeBackEmpty`: the stub loses its volume when it starts.
 * - `neverReady`: the readiness probe fails.
 * - `unsafeToRestart`: the restart check reports that a restart is not safe.
 * - `noContract`: the stub does not offer the component contract.
 */
export const misbehaviors = [
  "neverDrain",
  "lieAboutQuorum",
  "hang",
  "garbage",
  "comeBackEmpty",
  "neverReady",
  "unsafeToRestart",
  "noContract",
] as const;

export type Misbehavior = (typeof misbehaviors)[number];

export type MisbehaviorSet = Set<Misbehavior>;

/** Returns the misbehaviors that a comma-separated list names. Unknown names are ignored. */
export function parseMisbehaviors(text: string | undefined): MisbehaviorSet {
  const words = new Set((text ?? "").split(",").map((word) => word.trim()));
  return new Set(misbehaviors.filter((one) => words.has(one)));
}

/** Turns misbehaviors on and off. Names that are missing keep their state. */
export function switchMisbehaviors(set: MisbehaviorSet, switches: Readonly<Record<string, unknown>>): void {
  for (const one of misbehaviors) {
    if (!Object.hasOwn(switches, one)) continue;
    if (switches[one] === true) set.add(one);
    else set.delete(one);
  }
}
