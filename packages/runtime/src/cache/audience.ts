/**
 * Writers that already know of a change and may skip it: those in `knownTo`, or all except `onlyFor`. Undefined means
 * none.
 */
export interface Audience {
  readonly knownTo?: readonly string[];
  /** The only writer that has to be notified. */
  readonly onlyFor?: string;
}

/** Reports whether a writer already knows of the change. */
export function isKnownTo(audience: Audience | undefined, writer: string): boolean {
  if (audience === undefined) return false;
  return audience.onlyFor === undefined ? (audience.knownTo ?? []).includes(writer) : audience.onlyFor !== writer;
}

/**
 * Returns the writers that know of both of two changes. Returns none where that is undecidable: a redundant
 * notification is harmless, a missing one is not.
 */
export function knownInBoth(a: Audience | undefined, b: Audience | undefined): Audience | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a.onlyFor !== undefined && b.onlyFor !== undefined) return a.onlyFor === b.onlyFor ? a : undefined;
  const named = a.onlyFor === undefined ? a : b;
  const other = named === a ? b : a;
  const knownTo = (named.knownTo ?? []).filter((writer) => isKnownTo(other, writer));
  return knownTo.length === 0 ? undefined : { knownTo };
}
