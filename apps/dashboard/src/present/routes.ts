import type { RunRef } from "../api/load-tests.ts";
import type { ObjectRef } from "../api/types.ts";
import { readRunRef } from "./run-refs.ts";

/** Group, kind and name of an object in a path. */
export type RouteRef = Pick<ObjectRef, "group" | "kind" | "namespace" | "name">;

/** Pages about sandbox environments, in the order of their links. The first one is the list. */
export const sandboxParts = ["list", "new", "map", "explain", "tunnels", "propagation", "policies", "system"] as const;
export type SandboxPart = (typeof sandboxParts)[number];

/** A place of the page. */
export type Route =
  | { readonly page: "overview"; readonly namespace: string }
  | { readonly page: "resource"; readonly ref: RouteRef }
  | { readonly page: "why"; readonly ref: RouteRef }
  | { readonly page: "operators" }
  | { readonly page: "sandboxes"; readonly part: SandboxPart; readonly namespace: string }
  | { readonly page: "compare"; readonly tests: readonly RunRef[] }
  | { readonly page: "unknown"; readonly path: string };

/** Stands for the core group, and for the namespace of a cluster-scoped object. */
const none = "-";

/** Returns the place of a path and query. */
export function readRoute(path: string, query: string): Route {
  const parts = path.split("/").slice(1).map(decodeURIComponent);
  const [page, group = "", kind = "", namespace = "", name = "", ...rest] = parts;
  if (page === "") return { page: "overview", namespace: new URLSearchParams(query).get("namespace") ?? "" };
  if (page === "operators" && parts.length === 1) return { page: "operators" };
  if (page === "sandboxes") {
    const part = sandboxParts.find((one) => one === (parts[1] ?? "list"));
    const scope = new URLSearchParams(query).get("namespace") ?? "";
    return part === undefined || parts.length > 2
      ? { page: "unknown", path }
      : { page: "sandboxes", part, namespace: scope };
  }
  if (page === "compare" && parts.length === 1)
    return {
      page: "compare",
      tests: new URLSearchParams(query).getAll("test").flatMap((text) => readRunRef(text) ?? []),
    };
  if ((page !== "resource" && page !== "why") || name === "" || kind === "" || rest.length > 0)
    return { page: "unknown", path };
  const ref: RouteRef = {
    group: group === none ? "" : group,
    kind,
    namespace: namespace === none ? undefined : namespace,
    name,
  };
  return { page, ref };
}

/** Returns the path of the page of an object. */
export function objectPath(page: "resource" | "why", { group, kind, namespace, name }: RouteRef): string {
  return `/${[page, group || none, kind, namespace ?? none, name].map(encodeURIComponent).join("/")}`;
}

/** Returns the query of requests for the data of an object. */
export function objectQuery({ group, kind, namespace, name }: RouteRef): string {
  const query = new URLSearchParams({ group, kind, name });
  if (namespace !== undefined) query.set("namespace", namespace);
  return query.toString();
}

/** Returns the path of a page about sandbox environments. */
export function sandboxesPath(part: SandboxPart, namespace: string): string {
  const path = part === "list" ? "/sandboxes" : `/sandboxes/${part}`;
  return namespace === "" ? path : `${path}?${new URLSearchParams({ namespace }).toString()}`;
}
