import { quote } from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import type { ClusterReader } from "../../../admission/cluster-reader.ts";
import { badRequestStatus, notFoundStatus, serviceUnavailableStatus } from "../../../status/refusals.ts";
import { StatusError } from "../../../status/status.ts";
import { listAt, numberAt, textAt, valueAt } from "../../../values/fields.ts";
import { splitId } from "../pod/stream.ts";
import type { ProxyTarget } from "../../../endpoints/node-provider.ts";

/** An endpoint of a Service port. */
interface Backend {
  readonly portName: string;
  readonly port: number;
  readonly ip: string;
  readonly target: unknown;
}

const services = { group: "", resource: "services" };
const endpoints = { group: "", resource: "endpoints" };
const slices = { group: "discovery.k8s.io", resource: "endpointslices" };
const pods = { group: "", resource: "pods" };

/**
 * Returns the pod that receives a request to `services/NAME/proxy`; the name may be `NAME:PORT` or `SCHEME:NAME:PORT`.
 *
 * Throws a `StatusError`: 400 for an invalid name, 404 when the Service does not exist, 503 when it has no endpoint.
 */
export function serviceProxyTarget(
  { namespace, name: id }: { readonly namespace: string; readonly name: string },
  reader: ClusterReader,
): ProxyTarget {
  const parsed = splitId(id);
  if (parsed === undefined) throw new StatusError(badRequestStatus(`invalid service request ${quote(id)}`));
  const { scheme, name } = parsed;
  const port = portName(parsed.port ?? "", reader.get({ ...services, namespace, name }), name);
  const backends = backendsOf(reader, namespace, name);
  if (backends === undefined) throw new StatusError(notFoundStatus(services, name));
  if (backends.length === 0) throw noEndpoints(name);
  for (const { portName: own, port: number, ip, target } of backends) {
    if (own !== port || textAt(target, "namespace") !== namespace) continue;
    const pod = reader.get({ ...pods, namespace, name: textAt(target, "name") });
    const isOfPod = listAt(pod, "status", "podIPs").some((each) => textAt(each, "ip") === ip);
    if (pod !== undefined && isOfPod) return { pod, scheme, host: ip, port: String(number) };
  }
  throw noEndpoints(id);
}

function noEndpoints(name: string): StatusError {
  return new StatusError(serviceUnavailableStatus(`no endpoints available for service ${quote(name)}`));
}

/** Returns the name of the requested port, which may be given by number. */
function portName(requested: string, service: JsonRecord | undefined, name: string): string {
  if (!/^[+-]?\d+$/.test(requested)) return requested;
  if (service === undefined) throw new StatusError(notFoundStatus(services, name));
  const found = listAt(service, "spec", "ports").find((port) => numberAt(port, "port") === Number(requested));
  if (found !== undefined) return textAt(found, "name");
  const why = `no service port ${Number(requested)} found for service ${quote(name)}`;
  throw new StatusError(serviceUnavailableStatus(why));
}

/** Returns the endpoints of a Service from its Endpoints object, or else from its EndpointSlices; undefined when it has neither. */
function backendsOf(reader: ClusterReader, namespace: string, name: string): Backend[] | undefined {
  const whole = reader.get({ ...endpoints, namespace, name });
  if (whole !== undefined) {
    return listAt(whole, "subsets").flatMap((subset) =>
      listAt(subset, "ports").flatMap((port) =>
        listAt(subset, "addresses").map((address) => ({
          portName: textAt(port, "name"),
          port: numberAt(port, "port"),
          ip: textAt(address, "ip"),
          target: valueAt(address, "targetRef"),
        })),
      ),
    );
  }
  const parts = reader
    .list({ ...slices, namespace })
    .filter((slice) => textAt(slice, "metadata", "labels", "kubernetes.io/service-name") === name);
  if (parts.length === 0) return undefined;
  return parts.flatMap((slice) =>
    listAt(slice, "ports").flatMap((port) =>
      listAt(slice, "endpoints")
        .filter((endpoint) => valueAt(endpoint, "conditions", "ready") !== false)
        .map((endpoint) => ({
          portName: textAt(port, "name"),
          port: numberAt(port, "port"),
          ip: listAt(endpoint, "addresses").map(String)[0] ?? "",
          target: valueAt(endpoint, "targetRef"),
        })),
    ),
  );
}
