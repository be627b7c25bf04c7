import { quote } from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { listAt, numberAt, textAt, valueAt } from "../values/fields.ts";
import type { RemoteVersion } from "./remote-version.ts";

/** The condition `Available` of an APIService, without its time. */
export interface Availability {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The condition of a version whose server responds. */
export const passed: Availability = { status: "True", reason: "Passed", message: "all checks passed" };

/**
 * Returns why a version is unavailable according to its Service and EndpointSlices; undefined if only the server itself
 * can tell. Checks and messages follow `remote_available_controller.go` of kube-aggregator.
 */
export function serviceProblem({ service }: RemoteVersion, reader: ClusterReader): Availability | undefined {
  const { namespace, name, port } = service;
  const serviceText = `service/${name} in ${quote(namespace)}`;
  const found = reader.get({ group: "", resource: "services", namespace, name });
  if (found === undefined) return unavailable("ServiceNotFound", `${serviceText} is not present`);
  if (textAt(found, "spec", "type") !== "ClusterIP") return undefined;
  const served = listAt(found, "spec", "ports").find((each) => numberAt(each, "port") === port);
  if (served === undefined) return unavailable("ServicePortError", `${serviceText} is not listening on port ${port}`);
  const slices = slicesOf(service, reader);
  if (slices.length === 0) return unavailable("EndpointsNotFound", `cannot find endpointslices for ${serviceText}`);
  const portName = textAt(served, "name");
  if (!slices.some((slice) => isReady(slice) && portOf(slice, portName) !== undefined)) {
    const message = `endpointslices for ${serviceText} have no addresses with port name ${quote(portName)}`;
    return unavailable("MissingEndpoints", message);
  }
  return undefined;
}

/** Returns the condition of a version whose discovery request failed. */
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

/** Returns the endpoints of a slice that may receive requests. An unknown readiness counts as ready. */
export function readyEndpoints(slice: JsonRecord): unknown[] {
  return listAt(slice, "endpoints").filter((endpoint) => valueAt(endpoint, "conditions", "ready") !== false);
}

function isReady(slice: JsonRecord): boolean {
  return readyEndpoints(slice).length > 0;
}

function unavailable(reason: string, message: string): Availability {
  return { status: "False", reason, message };
}
