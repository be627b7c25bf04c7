// The table that is published for a Service: the compiled one, changed while the Service is taken over.

import { hasFinalizer } from "@homeostat/core";
import { finalizers } from "../api/identity.ts";
import { baselineServiceName, hash8, serviceAddress } from "../api/names.ts";
import type { CachedRouteTable, RouteTableSpec } from "../api/route-table.ts";
import { versionWithPorts } from "../build/listen-ports.ts";
import type { PreviewHosts } from "./preview-hosts.ts";

/**
 * Returns the spec to publish; undefined if no table is needed.
 *
 * Until the release of a taken-over Service is complete, proxies still receive its requests. Its table is then published without entries instead of
 * being deleted. The table refers to the baseline by the Service that selects the baseline pods, because the original Service selects the proxy.
 */
export function publishedSpec(
  compiled: RouteTableSpec | undefined,
  published: CachedRouteTable | undefined,
): RouteTableSpec | undefined {
  if (published === undefined || !hasFinalizer(published, finalizers.takeover)) return compiled;
  const spec = compiled ?? withoutEntries(published);
  const { listenPorts = {} } = published.status ?? {};
  if (Object.keys(listenPorts).length === 0) return spec;
  const { namespace = "" } = published.metadata;
  const base = baselineServiceName(spec.service);
  const ports = spec.ports.map((port) => ({ ...port, baselineTarget: serviceAddress(base, namespace, port.port) }));
  return { ...spec, ports, version: versionWithPorts(spec.version, listenPorts) };
}

/**
 * Adds the preview hosts to a spec. A Service without routes has a table only if hosts route to it. Such a table is used by gateways; requests of the
 * Service are not intercepted.
 */
export function withHosts(
  spec: RouteTableSpec | undefined,
  { hosts: { hosts, omitted }, empty }: { readonly hosts: PreviewHosts; readonly empty: () => RouteTableSpec },
): RouteTableSpec | undefined {
  if (hosts.length === 0) return spec;
  return { ...(spec ?? empty()), hosts: [...hosts], ...(omitted > 0 && { omittedHosts: omitted }) };
}

/** Returns the spec of a table whose Service no longer has routes. */
function withoutEntries({ spec: { service, ports, interception } }: CachedRouteTable): RouteTableSpec {
  const version = `empty-${hash8(ports.map(({ port, name = "", appProtocol = "" }) => `${port}/${name}/${appProtocol}`))}`;
  return { service, ports: ports.map((port) => ({ ...port })), entries: [], interception, version };
}
