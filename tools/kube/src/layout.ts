/** Which addresses a cluster uses for what. */
export interface Layout {
  /** The address the API server tells pods to reach it by. */
  readonly advertised: string;
  /** The address ranges of Services and of pods. */
  readonly services: string;
  readonly pods: string;
  /** The first Service: the API server itself. */
  readonly firstService: string;
}

/** The addresses of a cluster that has a node, all from one range of its own, `10.(200 + slot).0.0/16`. */
export interface NodeLayout extends Layout {
  /** The whole range. */
  readonly range: string;
  /** The name of the cable's end on this machine. */
  readonly hostLink: string;
  /** The two ends of the cable between this machine and the node. */
  readonly hostAddress: string;
  readonly nodeAddress: string;
  readonly linkPrefix: number;
  /** The pods of the one node. */
  readonly nodePods: string;
}

/** How many clusters with a node there can be at once. */
export const slotCount = 32;

/** The addresses of a cluster without a node: nobody is ever reached by them, they only have to look right. */
export const plainLayout: Layout = {
  advertised: "10.96.255.254",
  services: "10.96.0.0/16",
  pods: "10.244.0.0/16",
  firstService: "10.96.0.1",
};

/** The addresses of the cluster with a node that has the slot. */
export function nodeLayout(slot: number): NodeLayout {
  const base = `10.${200 + slot}`;
  return {
    range: `${base}.0.0/16`,
    hostLink: `hs-node${slot}`,
    hostAddress: `${base}.0.1`,
    nodeAddress: `${base}.0.2`,
    linkPrefix: 30,
    advertised: `${base}.0.1`,
    services: `${base}.64.0/18`,
    firstService: `${base}.64.1`,
    pods: `${base}.128.0/17`,
    nodePods: `${base}.128.0/24`,
  };
}

/**
 * The first slot that nobody has and whose range no route of this machine touches.
 *
 * `routes` are destinations as `ip route` prints them: `"10.0.0.0/8"`, `"192.0.2.7"`, `"default"`. One wider than ours
 * gives way to ours, as the default route does, and says nothing. Undefined when all are taken.
 */
export function freeSlot(taken: ReadonlySet<number>, routes: readonly string[]): number | undefined {
  const ranges = routes.flatMap((route) => parseRange(route) ?? []);
  for (let slot = 0; slot < slotCount; slot++) {
    const own = parseRange(nodeLayout(slot).range);
    if (own === undefined || taken.has(slot)) continue;
    if (!ranges.some((range) => range.first <= own.last && own.first <= range.last)) return slot;
  }
  return undefined;
}

function parseRange(destination: string): { first: number; last: number } | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)(?:\/(\d+))?$/.exec(destination);
  if (match === null) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, prefix = 32] = match
    .slice(1)
    .map((part) => (part === undefined ? 32 : Number(part)));
  if (prefix < 16) return undefined;
  const size = 2 ** (32 - prefix);
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1 };
}
