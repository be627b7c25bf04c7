import { ParseError, parseFieldSelector, pathSegmentProblems } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import { failure, StatusError } from "../status/status.ts";
import { readListOptions } from "./list-options.ts";
import type { Query } from "./query.ts";
import { readBoolean } from "./read-parameter.ts";
import type { RequestTarget } from "./request-target.ts";

/**
 * The parsed method and path of a request: a verb on a resource, or a non-resource path. Authorization and routing use
 * it.
 */
export interface RequestInfo {
  /** True for a request about objects, false for a non-resource path such as `/healthz`. */
  readonly isResource: boolean;
  /** Decoded path. */
  readonly path: string;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`; `proxy` with the deprecated
   * prefix; the lower-case HTTP method for non-resource paths; empty for a method that no resource supports.
   */
  readonly verb: string;
  /** `api` or `apis`. */
  readonly prefix: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Empty if there is none. For requests about a Namespace object it is that namespace. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /**
   * Name of the object. Also set for a list or watch with a field selector on `metadata.name`, so that RBAC rules with
   * `resourceNames` apply to it.
   */
  readonly name: string;
  /** Path segments from the resource on. */
  readonly parts: readonly string[];
  /** True if the verb comes from the deprecated prefix `/watch/` or `/proxy/`. */
  readonly isOldPrefix: boolean;
  /** Selectors as sent, for authorization. Only for list, watch and deletecollection. */
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

const subresourcesOfNamespaces = new Set(["status", "finalize"]);
const verbs: ReadonlyMap<string, string> = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["HEAD", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

/**
 * Derives the request info from method, path and query, as kube-apiserver's `RequestInfoFactory` does.
 *
 * Throws a {@link StatusError} only for a path that ends after `/watch` or `/proxy`.
 *
 * @example
 * requestInfo({ method: "GET", target, query }).verb; // "watch" for /api/v1/pods?watch=1
 */
export function requestInfo(request: {
  readonly method: string;
  readonly target: Pick<RequestTarget, "path" | "uri">;
  readonly query: Query;
}): RequestInfo {
  const { method, target, query } = request;
  const plain = pathInfo(target.path, method.toLowerCase());
  const segments = segmentsOf(target.path);
  const [prefix = "", ...afterPrefix] = segments;
  if (segments.length < 3 || (prefix !== "api" && prefix !== "apis")) return plain;
  if (prefix === "apis" && afterPrefix.length < 3) return { ...plain, prefix };
  const [group = "", version = "", ...afterVersion] = prefix === "apis" ? afterPrefix : ["", ...afterPrefix];

  const [first = ""] = afterVersion;
  const isOldPrefix = first === "watch" || first === "proxy";
  if (isOldPrefix && afterVersion.length < 2) throw noKind(target.uri);
  const verb = isOldPrefix ? first : (verbs.get(method) ?? "");
  const { namespace, parts } = namespaceAndParts(isOldPrefix ? afterVersion.slice(1) : afterVersion);
  const [resource = "", name = "", part = ""] = parts;
  const subresource = verb === "proxy" ? "" : part;
  const found = { ...plain, isResource: true, prefix, group, version, namespace, resource, subresource, name, parts };
  return withQuery({ ...found, verb, isOldPrefix }, query);
}

/** Reports whether a request has no time limit: watches, and streams to and from a container. */
export function isLongRunning({ isResource, verb, subresource }: RequestInfo): boolean {
  return verb === "watch" || verb === "proxy" || (isResource && longSubresources.has(subresource));
}

const longSubresources = new Set(["attach", "exec", "proxy", "log", "portforward"]);
const verbsWithSelectors = new Set(["list", "watch", "deletecollection"]);

function pathInfo(path: string, verb: string): RequestInfo {
  const none = { prefix: "", group: "", version: "", namespace: "", resource: "", subresource: "", name: "" };
  return {
    isResource: false,
    path,
    verb,
    ...none,
    parts: [],
    isOldPrefix: false,
    fieldSelector: "",
    labelSelector: "",
  };
}

function segmentsOf(path: string): string[] {
  let start = 0;
  let stop = path.length;
  while (path[start] === "/") start += 1;
  while (stop > start && path[stop - 1] === "/") stop -= 1;
  return start === stop ? [] : path.slice(start, stop).split("/");
}

function namespaceAndParts(segments: readonly string[]): { namespace: string; parts: readonly string[] } {
  const [first, namespace = "", next] = segments;
  if (first !== "namespaces") return { namespace: "", parts: segments };
  const isInside = next !== undefined && !subresourcesOfNamespaces.has(next);
  return { namespace, parts: isInside ? segments.slice(2) : segments };
}

/** Distinguishes list from watch and delete from deletecollection, and takes the name from the field selector. */
function withQuery(info: RequestInfo, query: Query): RequestInfo {
  let { verb, name } = info;
  if (name === "" && verb === "get") {
    const listQuery = readListQuery(query);
    verb = listQuery.watch ? "watch" : "list";
    name = listQuery.name;
  }
  if (name === "" && verb === "delete") verb = "deletecollection";
  if (info.isOldPrefix || !verbsWithSelectors.has(verb)) return { ...info, verb, name };
  const fieldSelector = query.first("fieldSelector") ?? "";
  return { ...info, verb, name, fieldSelector, labelSelector: query.first("labelSelector") ?? "" };
}

function readListQuery(query: Query): { watch: boolean; name: string } {
  if (query.isEmpty) return { watch: false, name: "" };
  const watch = readBoolean(query, "watch") ?? false;
  const selector = query.first("fieldSelector") ?? "";
  if (selector === "") return { watch, name: "" };
  try {
    // As in kube-apiserver, any option that cannot be parsed means that there is no name.
    readListOptions(query);
    const name = parseFieldSelector(selector).requiredValue("metadata.name") ?? "";
    return { watch, name: pathSegmentProblems(name).length === 0 ? name : "" };
  } catch (error) {
    if (error instanceof StatusError || error instanceof ParseError) return { watch, name: "" };
    throw error;
  }
}

function noKind(uri: string): StatusError {
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${uri}`;
  const safe = `Internal Server Error: ${quote(uri)}: ${why}`
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
  return new StatusError(failure({ code: 500, message: safe }));
}
