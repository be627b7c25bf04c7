import { ArgumentError, type GroupVersionResource, type Scope } from "@homeostat/core";

/** The properties of a kind that determine its path. */
export interface PathResource extends GroupVersionResource {
  readonly scope: Scope;
}

/** The name of an object, and its namespace if the kind is namespaced. */
export interface ObjectName {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** Query parameters. Undefined and `false` are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A cache of the last path of each kind: consecutive requests for a kind are usually in the same namespace. */
const lastPaths = new WeakMap<PathResource, { readonly namespace: string | undefined; readonly path: string }>();

/** Returns `/apis/apps/v1/namespaces/default/deployments`, or the path across all namespaces if none is given. */
export function collectionPath(resource: PathResource, namespace?: string): string {
  const last = lastPaths.get(resource);
  if (last !== undefined && last.namespace === namespace) return last.path;
  const path = `${basePath(resource, namespace)}/${segment("plural", resource.plural)}`;
  lastPaths.set(resource, { namespace, path });
  return path;
}

/**
 * Returns `/apis/apps/v1/namespaces/default/deployments/web/status`.
 *
 * Throws an `ArgumentError` for a name that is empty or contains path separators: with an empty name, a delete would be sent to
 * the collection and delete all of its objects.
 */
export function objectPath(resource: PathResource, { name, namespace }: ObjectName, subresource?: string): string {
  if (resource.scope === "Namespaced" && (namespace === undefined || namespace === "")) {
    throw new ArgumentError({ argument: "namespace", problem: `is required; ${resource.plural} are namespaced.` });
  }
  const path = `${collectionPath(resource, namespace)}/${segment("name", name)}`;
  return subresource === undefined
    ? path
    : `${path}/${subresource
        .split("/")
        .map((part) => segment("subresource", part))
        .join("/")}`;
}

/** Returns the path with its query parameters. */
export function withQuery(path: string, query: Query): string {
  let text = path;
  let separator = "?";
  const append = (name: string, value: string): void => {
    text += `${separator}${parameter(name, value)}`;
    separator = "&";
  };
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "object") for (const item of value) append(name, item);
    else append(name, String(value));
  }
  return text;
}

/** Encodes one parameter. Most need no encoding, which is checked first because it is faster. */
function parameter(name: string, value: string): string {
  if (/^[\w.-]*$/.test(value) && /^[\w.-]+$/.test(name)) return `${name}=${value}`;
  return new URLSearchParams([[name, value]]).toString();
}

function basePath({ group, version, scope }: PathResource, namespace: string | undefined): string {
  const base =
    group === ""
      ? `/api/${segment("version", version)}`
      : `/apis/${segment("group", group)}/${segment("version", version)}`;
  if (namespace === undefined || namespace === "") return base;
  if (scope === "Cluster") {
    throw new ArgumentError({
      argument: "namespace",
      problem: `is ${JSON.stringify(namespace)}, but the kind is cluster-scoped; remove the namespace.`,
    });
  }
  return `${base}/namespaces/${segment("namespace", namespace)}`;
}

/** Validates and encodes one segment of a path. */
function segment(argument: string, value: string): string {
  // Fast path: nearly all names match and need no encoding.
  if (typeof value === "string" && /^[a-z\d][a-z\d.-]*$/.test(value)) return value;
  // Checked at run time: a missing name in untyped JSON would become "undefined".
  if (typeof value !== "string" || value === "") throw new ArgumentError({ argument, problem: "is required." });
  if (value === "." || value === ".." || /[/%\\?#]/.test(value) || hasControl(value) || hasHalfPair(value)) {
    throw new ArgumentError({
      argument,
      problem: `is ${JSON.stringify(value.slice(0, 100))}, which is not a valid path segment.`,
    });
  }
  return encodeURIComponent(value);
}

/** Reports whether a text contains an unpaired surrogate, for which encodeURIComponent throws. */
function hasHalfPair(value: string): boolean {
  return /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(value);
}

function hasControl(value: string): boolean {
  for (let i = 0; i < value.length; i += 1) {
    const unit = value.charCodeAt(i);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}
