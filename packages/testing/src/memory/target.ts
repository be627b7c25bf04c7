import type { Request } from "@homeostat/client";

/** The object or collection that a request is for. */
export interface RequestTarget {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Empty for cluster-scoped kinds and for requests across all namespaces. */
  readonly namespace: string;
  /** Empty for a collection. */
  readonly name: string;
  readonly subresource: string;
  readonly query: URLSearchParams;
}

/** Returns the target of a request. */
export function targetOf({ path }: Pick<Request, "path">): RequestTarget {
  const [pathname = "", search = ""] = path.split("?", 2);
  const query = new URLSearchParams(search);
  const parts = pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
  const isCore = parts[0] === "api";
  const [version = "", ...rest] = parts.slice(isCore ? 1 : 2);
  const [first = "", second = "", third = ""] = rest;
  // `namespaces/shop/status` is the status of the Namespace; `namespaces/shop/pods` are the pods in it.
  const isInNamespace = first === "namespaces" && third !== "" && third !== "status" && third !== "finalize";
  const [plural = "", name = "", subresource = ""] = isInNamespace ? rest.slice(2) : rest;
  return {
    group: isCore ? "" : (parts[1] ?? ""),
    version,
    plural,
    namespace: isInNamespace ? second : "",
    name,
    subresource,
    query,
  };
}

/** Returns the key of an object: `default/web`, or `web` for a cluster-scoped one. */
export function keyIn(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}
