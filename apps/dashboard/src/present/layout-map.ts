// Positions of the nodes and edges of the route map.

import { Graph, layout } from "@dagrejs/dagre";
import type { MapEdge, MapNode, RouteMap } from "../api/sandbox-types.ts";

/** A node with the position of its upper left corner. */
export interface PlacedNode {
  readonly node: MapNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Number of the color of its key; undefined for Services. */
  readonly color: number | undefined;
}

/** An edge with the attribute `d` of its SVG path. */
export interface PlacedEdge {
  readonly edge: MapEdge;
  readonly path: string;
  readonly color: number | undefined;
}

/** A map with positions. */
export interface PlacedMap {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** Number of colors of keys. Keys share colors if there are more of them; labels and the list have the keys themselves. */
export const colorsMax = 6;

const height = 46;
const widthMin = 120;
const widthMax = 330;
/** Width of a character of a label. */
const characterWidth = 7.6;

/** Places the nodes of a map from left to right: preview hosts, Services, then forks and tunnels. */
export function layoutMap({ nodes, edges }: Pick<RouteMap, "nodes" | "edges">): PlacedMap {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 16, ranksep: 90, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, { width: widthOf(node), height });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const colors = colorsOf(nodes);
  const keys = new Map(nodes.map(({ id, key }) => [id, key]));
  const size = graph.graph();
  return {
    width: Math.ceil(size.width ?? 0),
    height: Math.ceil(size.height ?? 0),
    nodes: nodes.map((node) => {
      const { x = 0, y = 0 } = graph.node(node.id);
      const width = widthOf(node);
      return { node, x: x - width / 2, y: y - height / 2, width, height, color: colors.get(node.key) };
    }),
    edges: edges.map((edge) => ({
      edge,
      path: pathOf(graph.edge(edge.from, edge.to).points ?? []),
      color: colors.get(keys.get(edge.to) || keys.get(edge.from) || ""),
    })),
  };
}

function widthOf({ label, detail }: MapNode): number {
  return Math.min(widthMax, Math.max(widthMin, Math.max(label.length, detail.length) * characterWidth + 20));
}

/** Returns the numbers of the colors of all keys, in the order in which they appear. */
function colorsOf(nodes: readonly MapNode[]): ReadonlyMap<string, number> {
  const keys = [...new Set(nodes.map(({ key }) => key))].filter((key) => key !== "").toSorted();
  return new Map(keys.map((key, index) => [key, index % colorsMax]));
}

function pathOf(points: readonly { readonly x: number; readonly y: number }[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${Math.round(x)} ${Math.round(y)}`).join(" ");
}
