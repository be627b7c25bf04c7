/** Steps whose responses differ, by case. Empty now; an entry needs a reason. */
export const knownDifferences: ReadonlyMap<string, readonly number[]> = new Map();
