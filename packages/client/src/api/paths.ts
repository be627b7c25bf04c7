import { ArgumentError, type GroupVersionResource, type Scope } from "@homeostat/core";

/** A kind of object as paths need it. */
export interface PathResource extends GroupVersionResource {
  readonly scope: Scope;
}

/** Which object: its name, and its namespace when its kind has one. */
export interface ObjectName {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** Parameters of a URL. What is undefined is left out; `true` is written, `false` left out. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The last path of each kind: most requests about a kind are about one namespace, or come in runs. */
const lastPaths = new WeakMap<PathResource, { readonly namespace: string | undefined; readonly path: string }>();

/** `/apis/apps/v1/namespaces/default/deployments`; over all namespaces when none is given. */
export function collectionPath(resource: PathResource, namespace?: string): string {
  const last = lastPaths.get(resource);
  if (last !== undefined && last.namespace === namespace) return last.path;
  const path = `${basePath(resource, namespace)}/${segment("plural", resource.plural)}`;
  lastPaths.set(resource, { namespace, path });
  return path;
}

/**
 * `/apis/apps/v1/namespaces/default/deployments/web/status`.
 *
 * Refuses a name that is empty or would lead elsewhere: with an empty one, a delete would be the deletion of everything.
 */
export function objectPath(resource: PathResource, { name, namespace }: ObjectName, subresource?: string): string {
  if (resource.scope === "Namespaced" && (namespace === undefined || namespace === "")) {
    throw new ArgumentError({ argument: "namespace", problem: `is missing; ${resource.plural} live in namespaces.` });
  }
  const path = `${collectionPath(resource, namespace)}/${segment("name", name)}`;
  return subresource === undefined
    ? path
    : `${path}/${subresource
        .split("/")
        .map((part) => segment("subresource", part))
        .join("/")}`;
}

/** The path with its parameters. */
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

/** One parameter, encoded; most need no encoding. */
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
      problem: `is ${JSON.stringify(namespace)}, but the kind belongs to the whole cluster; leave it out.`,
    });
  }
  return `${base}/namespaces/${segment("namespace", namespace)}`;
}

/** One part of a path, checked and encoded. */
function segment(argument: string, value: string): string {
  // Nearly all names are so, and are their own encoding.
  if (typeof value === "string" && /^[a-z\d][a-z\d.-]*$/.test(value)) return value;
  // The type is not enough: a missing name out of somebody's JSON would become "undefined".
  if (typeof value !== "string" || value === "")
    throw new ArgumentError({ argument, problem: "is empty; name one object." });
  if (value === "." || value === ".." || /[/%\\?#]/.test(value) || hasControl(value) || hasHalfPair(value)) {
    throw new ArgumentError({
      argument,
      problem: `is ${JSON.stringify(value.slice(0, 100))}, which cannot be part of a path.`,
    });
  }
  return encodeURIComponent(value);
}

/** Whether half of a surrogate pair stands alone, which no encoding can express. */
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
