/** Steps of cases whose answers still differ, by case. There are none now, and none may be added without a reason beside it. */
export const knownDifferences: ReadonlyMap<string, readonly number[]> = new Map();
