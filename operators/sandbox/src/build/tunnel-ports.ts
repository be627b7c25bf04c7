// Listening ports of the tunnel server. Every replica uses the same port for a port of a LocalWorkload, so a machine that moves to another replica keeps it.

/** First and last port that the tunnel server listens on for LocalWorkloads. */
export const tunnelListenPorts = { first: 20_000, last: 20_999 } as const;

/** Input of {@link allocateTunnelPorts}. */
export interface TunnelPortsInput {
  /** Names of the ports of a LocalWorkload. */
  readonly names: readonly string[];
  /** Existing listening ports, by name. */
  readonly present: ReadonlyMap<string, number>;
  /** Listening ports of older and of younger LocalWorkloads of the cluster. */
  readonly older: ReadonlySet<number>;
  readonly younger: ReadonlySet<number>;
}

/**
 * Returns the listening port of each port: existing ones are kept, new ones are the lowest free ports. Returns undefined if the range is exhausted.
 *
 * Two LocalWorkloads have the same port if one of them was reconciled with a stale cache. The older one keeps it.
 */
export function allocateTunnelPorts(input: TunnelPortsInput): ReadonlyMap<string, number> | undefined {
  const { names, present, older, younger } = input;
  const all = new Map<string, number>();
  const kept = new Set<number>();
  for (const name of names) {
    const port = present.get(name);
    if (port === undefined || !isTunnelPort(port) || older.has(port) || kept.has(port)) continue;
    all.set(name, port);
    kept.add(port);
  }
  const used = new Set([...kept, ...older, ...younger]);
  let next: number = tunnelListenPorts.first;
  for (const name of names) {
    if (all.has(name)) continue;
    while (used.has(next)) next += 1;
    if (next > tunnelListenPorts.last) return undefined;
    all.set(name, next);
    used.add(next);
  }
  return all;
}

function isTunnelPort(port: number): boolean {
  return port >= tunnelListenPorts.first && port <= tunnelListenPorts.last;
}
