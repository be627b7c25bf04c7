import { ParseError, parseFieldSelector, pathSegmentProblems } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import { failure, StatusError } from "../status/status.ts";
import { readListOptions } from "./list-options.ts";
import type { Query } from "./query.ts";
import { readBoolean } from "./read-parameter.ts";
import type { RequestTarget } from "./request-target.ts";

/** What a request is about, as rules and routes see it: a verb on a resource, or a path. */
export interface RequestInfo {
  /** Whether it is about objects rather than a path such as `/healthz`. */
  readonly isResource: boolean;
  /** The path with its escapes resolved. */
  readonly path: string;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`; `proxy` by the old prefix; the
   * method in small letters for what is no resource; empty for a method that no resource has.
   */
  readonly verb: string;
  /** `api` or `apis`. */
  readonly prefix: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Empty when there is none. For a namespace itself it is that namespace. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** Of the object; also of the only one that a list or watch can show, by its field selector. */
  readonly name: string;
  /** The steps of the path from the resource on. */
  readonly parts: readonly string[];
  /** Whether the verb came by the old prefix `/watch/` or `/proxy/`. */
  readonly isOldPrefix: boolean;
  /** The selectors as they were sent, for rules that depend on them. Only for lists, watches and deletions of many. */
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
 * Derives from method, path and query what a request is about, as kube-apiserver does.
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
  const steps = stepsOf(target.path);
  const [prefix = "", ...afterPrefix] = steps;
  if (steps.length < 3 || (prefix !== "api" && prefix !== "apis")) return plain;
  if (prefix === "apis" && afterPrefix.length < 3) return { ...plain, prefix };
  const [group = "", version = "", ...afterVersion] = prefix === "apis" ? afterPrefix : ["", ...afterPrefix];

  const [first = ""] = afterVersion;
  const isOldPrefix = first === "watch" || first === "proxy";
  if (isOldPrefix && afterVersion.length < 2) throw noKind(target.uri);
  const verb = isOldPrefix ? first : (verbs.get(method) ?? "");
  const { namespace, parts } = placeOf(isOldPrefix ? afterVersion.slice(1) : afterVersion);
  const [resource = "", name = "", part = ""] = parts;
  const subresource = verb === "proxy" ? "" : part;
  const found = { ...plain, isResource: true, prefix, group, version, namespace, resource, subresource, name, parts };
  return withQuery({ ...found, verb, isOldPrefix }, query);
}

/** Whether a request may go on for as long as both sides like: watches, and streams to and from a container. */
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

function stepsOf(path: string): string[] {
  let start = 0;
  let stop = path.length;
  while (path[start] === "/") start += 1;
  while (stop > start && path[stop - 1] === "/") stop -= 1;
  return start === stop ? [] : path.slice(start, stop).split("/");
}

function placeOf(steps: readonly string[]): { namespace: string; parts: readonly string[] } {
  const [first, namespace = "", next] = steps;
  if (first !== "namespaces") return { namespace: "", parts: steps };
  const isInside = next !== undefined && !subresourcesOfNamespaces.has(next);
  return { namespace, parts: isInside ? steps.slice(2) : steps };
}

/** Tells a list from a watch and one deletion from many; and finds the name in the field selector. */
function withQuery(info: RequestInfo, query: Query): RequestInfo {
  let { verb, name } = info;
  if (name === "" && verb === "get") {
    const asked = askedOf(query);
    verb = asked.watch ? "watch" : "list";
    name = asked.name;
  }
  if (name === "" && verb === "delete") verb = "deletecollection";
  if (info.isOldPrefix || !verbsWithSelectors.has(verb)) return { ...info, verb, name };
  const fieldSelector = query.first("fieldSelector") ?? "";
  return { ...info, verb, name, fieldSelector, labelSelector: query.first("labelSelector") ?? "" };
}

function askedOf(query: Query): { watch: boolean; name: string } {
  if (query.isEmpty) return { watch: false, name: "" };
  const watch = readBoolean(query, "watch") ?? false;
  const selector = query.first("fieldSelector") ?? "";
  if (selector === "") return { watch, name: "" };
  try {
    // Options that cannot be read give no name, whichever of them it is.
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
