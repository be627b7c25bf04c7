/** Addresses of a cluster. */
export interface Layout {
  /** Address at which pods reach the API server. */
  readonly advertised: string;
  /** Address ranges of Services and pods. */
  readonly services: string;
  readonly pods: string;
  /** Address of the first Service: the API server itself. */
  readonly firstService: string;
}

/** Addresses of a cluster with a node, all from its own range `10.(200 + slot).0.0/16`. */
export interface NodeLayout extends Layout {
  /** The complete range. */
  readonly range: string;
  /** Name of the veth interface on this machine. */
  readonly hostLink: string;
  /** Addresses of the two ends of the veth pair between this machine and the node. */
  readonly hostAddress: string;
  readonly nodeAddress: string;
  readonly linkPrefix: number;
  /** Range of the pods on the only node. */
  readonly nodePods: string;
}

/** Maximum number of clusters with a node. */
export const slotCount = 32;

/** Returns the addresses of a cluster without a node. They are never used, but must be valid. */
export const plainLayout: Layout = {
  advertised: "10.96.255.254",
  services: "10.96.0.0/16",
  pods: "10.244.0.0/16",
  firstService: "10.96.0.1",
};

/** Returns the addresses of the cluster with a node in a slot. */
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
 * Returns the first unused slot whose range overlaps no route of this machine, or undefined if all are in use.
 *
 * `routes` are destinations as printed by `ip route`: `"10.0.0.0/8"`, `"192.0.2.7"`, `"default"`. A route wider than the range
 * of a slot has lower priority, like the default route, and does not matter.
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
