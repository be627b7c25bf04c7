/** Steps of cases whose answers still differ, by case. The list may only become shorter. */
export const knownDifferences: ReadonlyMap<string, readonly number[]> = new Map([
  // A claim that is not bound says in other words that it cannot grow.
  ["priorities and classes: classes of storage, ingress and runtime", [3]],
]);
