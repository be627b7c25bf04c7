import { isIP } from "node:net";
import { quote } from "@homeostat/cel";
import type { ClusterReader } from "../../../admission/cluster-reader.ts";
import type { PodStream, ProxyTarget } from "../../../endpoints/node-provider.ts";
import type { Query } from "../../../request/query.ts";
import { badRequestStatus, notFoundStatus } from "../../../status/refusals.ts";
import { StatusError } from "../../../status/status.ts";
import { listAt, numberAt, textAt } from "../../../values/fields.ts";
import { containerOf } from "./container.ts";
import { checkNode } from "./log.ts";

const pods = { group: "", resource: "pods" };

/**
 * Returns the target of an `exec`, `attach` or `portforward` request.
 *
 * Throws a `StatusError`: 404 when the pod or its node does not exist, 400 when the pod has no node.
 */
export function podStreamOf(
  { namespace, name, subresource, query }: { namespace: string; name: string; subresource: string; query: Query },
  reader: ClusterReader,
): PodStream {
  const pod = reader.get({ ...pods, namespace, name });
  if (pod === undefined) throw new StatusError(notFoundStatus(pods, name));
  const container = subresource === "portforward" ? "" : containerOf(pod, query.first("container") ?? "");
  const node = textAt(pod, "spec", "nodeName");
  if (node === "") throw new StatusError(badRequestStatus(`pod ${name} does not have a host assigned`));
  checkNode(reader, node);
  return { pod, container };
}

/**
 * Returns the target of a `proxy` request; its name may be `NAME:PORT` or `SCHEME:NAME:PORT`.
 *
 * Throws a `StatusError`: 404 when the pod does not exist, 400 for an invalid name or a forbidden address.
 */
export function proxyTargetOf(
  { namespace, name: id }: { namespace: string; name: string },
  reader: ClusterReader,
): ProxyTarget {
  const parsed = splitId(id);
  if (parsed === undefined) throw new StatusError(badRequestStatus(`invalid pod request ${quote(id)}`));
  const { scheme, name } = parsed;
  const pod = reader.get({ ...pods, namespace, name });
  if (pod === undefined) throw new StatusError(notFoundStatus(pods, name));
  const first = listAt(pod, "spec", "containers")
    .map((container) => numberAt(listAt(container, "ports")[0], "containerPort"))
    .find((port) => port !== 0);
  const host = textAt(pod, "status", "podIP");
  if (!isGlobal(host)) throw new StatusError(badRequestStatus("address not allowed"));
  return { pod, scheme, host, port: parsed.port ?? (first === undefined ? undefined : String(first)) };
}

/** Parses the name in a `proxy` request: `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. Returns undefined for anything else. */
export function splitId(id: string): { scheme: "http" | "https"; name: string; port: string | undefined } | undefined {
  const parts = id.split(":");
  const [first = "", second = "", third] = parts;
  if (parts.length === 1) return first === "" ? undefined : { scheme: "http", name: first, port: undefined };
  if (parts.length === 2) return first === "" ? undefined : { scheme: "http", name: first, port: portOf(second) };
  if (parts.length > 3 || second === "" || (first !== "" && first !== "http" && first !== "https")) return undefined;
  return { scheme: first === "https" ? "https" : "http", name: second, port: portOf(third ?? "") };
}

function portOf(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/**
 * Reports whether an address can be that of a pod. Loopback, link-local and multicast addresses cannot: with a forged `status.podIP`, a
 * client could otherwise reach services on the machine of the API server.
 */
function isGlobal(host: string): boolean {
  if (isIP(host) === 0) return false;
  return !/^(127\.|0\.0\.0\.0$|255\.255\.255\.255$|169\.254\.|22[4-9]\.|23[0-9]\.)|^(::1?|f[e][89ab].*|ff.*)$/i.test(
    host,
  );
}
