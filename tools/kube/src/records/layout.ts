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

/** Names and addresses of one node, all from the range of its cluster: `10.(200 + slot).0.0/16`. */
export interface NodeLayout extends Layout {
  readonly name: string;
  /** End of the names of its components, certificates and interfaces: empty for the first node, `-2` for the second. */
  readonly suffix: string;
  /** The complete range. */
  readonly range: string;
  /** Name of the veth interface on this machine. */
  readonly hostLink: string;
  /** Addresses of the two ends of the veth pair between this machine and the node. */
  readonly hostAddress: string;
  readonly nodeAddress: string;
  readonly linkPrefix: number;
  /** Range of the pods on this node. */
  readonly nodePods: string;
}

/** Maximum number of clusters with a node. */
export const slotCount = 32;

/** Maximum number of nodes of a cluster. */
export const nodesMax = 9;

/** Returns the addresses of a cluster without a node. They are never used, but must be valid. */
export const plainLayout: Layout = {
  advertised: "10.96.255.254",
  services: "10.96.0.0/16",
  pods: "10.244.0.0/16",
  firstService: "10.96.0.1",
};

/** Returns the addresses of a node of the cluster in a slot. Nodes are numbered from 1. */
export function nodeLayout(slot: number, number = 1): NodeLayout {
  const base = `10.${200 + slot}`;
  const suffix = number === 1 ? "" : `-${number}`;
  const link = 4 * (number - 1);
  return {
    name: `node${number}`,
    suffix,
    range: `${base}.0.0/16`,
    hostLink: `hs-node${slot}${suffix}`,
    hostAddress: `${base}.0.${link + 1}`,
    nodeAddress: `${base}.0.${link + 2}`,
    linkPrefix: 30,
    // All nodes reach the API server at the link of the first one.
    advertised: `${base}.0.1`,
    services: `${base}.64.0/18`,
    firstService: `${base}.64.1`,
    pods: `${base}.128.0/17`,
    nodePods: `${base}.${127 + number}.0/24`,
  };
}

/** Returns the addresses of all nodes of a cluster; none for a cluster without a node. */
export function nodeLayouts({ slot, nodes = 1 }: { readonly slot?: number; readonly nodes?: number }): NodeLayout[] {
  return slot === undefined ? [] : Array.from({ length: nodes }, (_, index) => nodeLayout(slot, index + 1));
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
