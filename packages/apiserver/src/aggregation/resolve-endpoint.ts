import type { ClusterReader } from "../admission/cluster-reader.ts";
import type { Endpoint, ServiceResolver } from "../admission/webhooks/webhook-client.ts";
import { listAt, numberAt, textAt } from "../values/fields.ts";
import { portOf, readyEndpoints, slicesOf } from "./availability.ts";
import type { RemoteVersion } from "./remote-version.ts";

/** Dependencies of {@link resolveEndpoint}. */
export interface EndpointOptions {
  readonly reader: ClusterReader;
  readonly resolveService?: ServiceResolver | undefined;
}

/**
 * Returns an endpoint of the Service of a version; undefined if the Service has none.
 *
 * kube-apiserver connects to the cluster IP. The embedded cluster has no kube-proxy, so the server's Service resolver
 * is tried first, and then a ready endpoint is used, as kube-apiserver does with `--enable-aggregator-routing`.
 */
export async function resolveEndpoint(
  { service }: RemoteVersion,
  { reader, resolveService }: EndpointOptions,
): Promise<Endpoint | undefined> {
  const { namespace, name, port } = service;
  const found = reader.get({ group: "", resource: "services", namespace, name });
  if (found === undefined) return undefined;
  if (textAt(found, "spec", "type") === "ExternalName") return { host: textAt(found, "spec", "externalName"), port };
  const resolved = await resolveService?.(service);
  if (resolved !== undefined && typeof resolved !== "string") return resolved;
  const portName = textAt(
    listAt(found, "spec", "ports").find((each) => numberAt(each, "port") === port),
    "name",
  );
  for (const slice of slicesOf(service, reader)) {
    const number = portOf(slice, portName);
    const [address] = readyEndpoints(slice).flatMap((endpoint) => listAt(endpoint, "addresses").map(String));
    if (number !== undefined && address !== undefined) return { host: address, port: number };
  }
  return undefined;
}
