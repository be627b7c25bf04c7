import { quote } from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { listAt, numberAt, textAt, valueAt } from "../values/fields.ts";
import type { RemoteVersion } from "./remote-version.ts";

/** The condition `Available` of an APIService without its time. */
export interface Availability {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The condition of a version whose server responds. */
export const passed: Availability = { status: "True", reason: "Passed", message: "all checks passed" };

/**
 * Returns why a version cannot be available, as far as its Service and EndpointSlices tell; undefined when the server itself has
 * to be asked. The checks and texts are those of kube-aggregator, `remote_available_controller.go`.
 */
export function serviceProblem({ service }: RemoteVersion, reader: ClusterReader): Availability | undefined {
  const { namespace, name, port } = service;
  const place = `service/${name} in ${quote(namespace)}`;
  const found = reader.get({ group: "", resource: "services", namespace, name });
  if (found === undefined) return unavailable("ServiceNotFound", `${place} is not present`);
  if (textAt(found, "spec", "type") !== "ClusterIP") return undefined;
  const served = listAt(found, "spec", "ports").find((each) => numberAt(each, "port") === port);
  if (served === undefined) return unavailable("ServicePortError", `${place} is not listening on port ${port}`);
  const slices = slicesOf(service, reader);
  if (slices.length === 0) return unavailable("EndpointsNotFound", `cannot find endpointslices for ${place}`);
  const portName = textAt(served, "name");
  if (!slices.some((slice) => isReady(slice) && portOf(slice, portName) !== undefined)) {
    const message = `endpointslices for ${place} have no addresses with port name ${quote(portName)}`;
    return unavailable("MissingEndpoints", message);
  }
  return undefined;
}

/** Returns the condition of a version whose server gave no good response. */
export function failedDiscovery(message: string): Availability {
  return unavailable("FailedDiscoveryCheck", message);
}

/** Returns the EndpointSlices of a Service. */
export function slicesOf(
  { namespace, name }: Pick<RemoteVersion["service"], "namespace" | "name">,
  reader: ClusterReader,
): JsonRecord[] {
  return reader
    .list({ group: "discovery.k8s.io", resource: "endpointslices", namespace })
    .filter((slice) => textAt(slice, "metadata", "labels", "kubernetes.io/service-name") === name);
}

/** Returns the port of a slice by its name. */
export function portOf(slice: JsonRecord, portName: string): number | undefined {
  const found = listAt(slice, "ports").find((port) => textAt(port, "name") === portName);
  const port = numberAt(found, "port");
  return port === 0 ? undefined : port;
}

/** Returns the endpoints of a slice that may receive requests. */
export function readyEndpoints(slice: JsonRecord): unknown[] {
  return listAt(slice, "endpoints").filter((endpoint) => valueAt(endpoint, "conditions", "ready") !== false);
}

function isReady(slice: JsonRecord): boolean {
  return readyEndpoints(slice).length > 0;
}

function unavailable(reason: string, message: string): Availability {
  return { status: "False", reason, message };
}
