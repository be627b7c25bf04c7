import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { MapNode, RouteMap } from "../../api/sandbox-types.ts";
import { layoutMap, type PlacedMap, type PlacedNode } from "../../present/layout-map.ts";
import { objectPath } from "../../present/routes.ts";
import { Link } from "../common/navigation.tsx";
import { Notes } from "../common/notes.tsx";
import { ConnectionNote, Section } from "../common/parts.tsx";
import { useView } from "../common/use-view.ts";

/** Services of the baseline with the preview hosts before them, and the forks and tunnels beside them. */
export function RouteMapPage({ namespace }: { readonly namespace: string }): JSX.Element {
  const { data, stream } = useView("route-map", new URLSearchParams({ namespace }).toString());
  const placed = useMemo(() => (data === undefined ? undefined : layoutMap(data)), [data]);
  return (
    <>
      <ConnectionNote stream={stream} />
      {data === undefined ? <p aria-busy="true">Loading.</p> : <Notes notes={data.notes} />}
      {data?.nodes.length === 0 ? <p class="empty">There is no Service.</p> : undefined}
      {data === undefined || data.omitted === 0 ? undefined : (
        <p class="note unknown">{data.omitted} more Services are not shown. Enter a namespace.</p>
      )}
      {data === undefined || placed === undefined || data.nodes.length === 0 ? undefined : (
        <>
          <div class="scroll map" tabIndex={0} role="region" aria-label="Route map, drawn">
            <Drawing map={placed} />
          </div>
          <Section title="Routes as a list">
            <RouteList map={data} />
          </Section>
        </>
      )}
    </>
  );
}

function Drawing({ map }: { readonly map: PlacedMap }): JSX.Element {
  return (
    <svg
      width={map.width}
      height={map.height}
      viewBox={`0 0 ${map.width} ${map.height}`}
      role="img"
      aria-label="Services with their forks and tunnels. The list below has the same content."
    >
      {map.edges.map(({ edge, path, color }) => (
        <path key={`${edge.from} ${edge.to}`} d={path} class={`edge ${colorClass(color)}`}>
          <title>{edge.label}</title>
        </path>
      ))}
      {map.nodes.map((placed) => (
        <Box key={placed.node.id} placed={placed} />
      ))}
    </svg>
  );
}

function Box({ placed: { node, x, y, width, height, color } }: { readonly placed: PlacedNode }): JSX.Element {
  return (
    <g class={`box ${node.type} ${colorClass(color)}`}>
      <title>{`${node.label}, ${node.detail}${node.key === "" ? "" : `, key ${node.key}`}`}</title>
      <rect x={x} y={y} width={width} height={height} rx={node.type === "service" ? 4 : 14} />
      <text x={x + 10} y={y + 19}>
        {cut(node.label)}
      </text>
      <text x={x + 10} y={y + 37} class="detail">
        {cut(node.detail)}
      </text>
    </g>
  );
}

function colorClass(color: number | undefined): string {
  return color === undefined ? "" : `color-${color}`;
}

function cut(text: string): string {
  return text.length > 42 ? `${text.slice(0, 41)}…` : text;
}

/** The map for screen readers and the keyboard. */
function RouteList({ map: { nodes, edges } }: { readonly map: RouteMap }): JSX.Element {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return (
    <ul class="routes">
      {nodes
        .filter(({ type }) => type === "service")
        .map((service) => (
          <li key={service.id}>
            Service <NodeLink node={service} />
            <ul>
              {edges
                .filter(({ from, to }) => from === service.id || to === service.id)
                .map((edge) => {
                  const isIncoming = edge.to === service.id;
                  const other = byId.get(isIncoming ? edge.from : edge.to);
                  return (
                    <li key={`${edge.from} ${edge.to}`}>
                      {edge.label}: {isIncoming ? "from host " : `to ${other?.type ?? ""} `}
                      {other === undefined ? "" : <NodeLink node={other} />}
                    </li>
                  );
                })}
            </ul>
          </li>
        ))}
    </ul>
  );
}

function NodeLink({ node }: { readonly node: MapNode }): JSX.Element {
  return (
    <>
      {node.ref === undefined ? node.label : <Link to={objectPath("resource", node.ref)}>{node.label}</Link>}{" "}
      <small>{node.detail}</small>
    </>
  );
}
