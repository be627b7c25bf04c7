import { isIP } from "node:net";
import { quote } from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import type { ClusterReader } from "../../../admission/cluster-reader.ts";
import type { Query } from "../../../request/query.ts";
import { badRequestStatus, notFoundStatus } from "../../../status/refusals.ts";
import { StatusError } from "../../../status/status.ts";
import { listAt, numberAt, textAt } from "../../../values/fields.ts";
import { containerOf } from "./container.ts";
import { checkNode } from "./log.ts";

const pods = { group: "", resource: "pods" };

/** What is to be streamed to a pod: where, and into which container. */
export interface PodStream {
  readonly pod: JsonRecord;
  /** Empty for `portforward`, which is for the whole pod. */
  readonly container: string;
}

/**
 * Looks whether somebody can be connected with a pod through `exec`, `attach` or `portforward`.
 *
 * Throws a `StatusError`: 404 for a pod or its node that is not there, 400 for a pod that is on no node.
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

/** Where a request to `pods/NAME/proxy` goes. */
export interface ProxyPlace {
  readonly pod: JsonRecord;
  readonly scheme: "http" | "https";
  readonly host: string;
  /** Undefined where neither the request nor the pod names one. */
  readonly port: string | undefined;
}

/**
 * Finds where a request to a pod goes; its name may be `NAME:PORT` or `SCHEME:NAME:PORT`.
 *
 * Throws a `StatusError`: 404 for a pod that is not there, 400 for a name or address that will not do.
 */
export function proxyPlaceOf(
  { namespace, name: id }: { namespace: string; name: string },
  reader: ClusterReader,
): ProxyPlace {
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

/** The parts of a name in a request that is passed on: `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`; undefined for others. */
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

/** Whether an address is one that a pod can have and this machine is not asked to reach itself through. */
function isGlobal(host: string): boolean {
  if (isIP(host) === 0) return false;
  return !/^(127\.|0\.0\.0\.0$|255\.255\.255\.255$|169\.254\.|22[4-9]\.|23[0-9]\.)|^(::1?|f[e][89ab].*|ff.*)$/i.test(
    host,
  );
}
