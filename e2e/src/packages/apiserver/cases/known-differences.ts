// Cases in which the embedded server responds differently from the real one, with the reason. The number may only fall.

/** Number of known differences. */
export const differencesMax = 1;

/** The differing cases as `group: name`, with the reason. */
export const knownDifferences: ReadonlyMap<string, string> = new Map([
  ["forms: a quota that is exhausted", "the embedded server writes the status of quotas without a controller"],
]);
