// The form of a case, which runs on both servers.

/** Identity of a request: the administrator, a user without permissions (impersonated by the administrator), or anonymous. */
export type Sender = "admin" | "unprivileged" | "anonymous";

/** One request of a case. `{ns}` in its strings stands for the namespace of the case. */
export interface RequestStep {
  readonly do: "request";
  readonly method: string;
  readonly path: string;
  /** Sent as JSON; strings and bytes are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: Sender;
}

/** A watch that is read until the given number of events has arrived, or until it ends. */
export interface WatchStep {
  readonly do: "watch";
  readonly path: string;
  readonly events: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests that are sent while the watch is open; their responses are not compared. */
  readonly meanwhile?: readonly RequestStep[];
}

/** Repeats a request until the response has a status, for example after a CRD is created. The response is not compared. */
export interface UntilStep {
  readonly do: "until";
  readonly path: string;
  readonly status: number;
  /** Text that the body must contain. */
  readonly shows?: string;
}

/** A step of a case. */
export type Step = RequestStep | WatchStep | UntilStep;

/** Requests that are sent to both servers in order; every response is compared. */
export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  /** True if the real server reports several errors in random order. */
  readonly unordered?: boolean;
}

type Extra = Pick<RequestStep, "headers" | "as">;

/** Returns a GET step. */
export function get(path: string, extra: Extra = {}): RequestStep {
  return { do: "request", method: "GET", path, ...extra };
}

/** Returns a POST step. */
export function post(path: string, body: unknown, extra: Extra = {}): RequestStep {
  return { do: "request", method: "POST", path, body, ...extra };
}

/** Returns a PUT step. */
export function put(path: string, body: unknown, extra: Extra = {}): RequestStep {
  return { do: "request", method: "PUT", path, body, ...extra };
}

/** Returns a DELETE step. */
export function del(path: string, body?: unknown, extra: Extra = {}): RequestStep {
  return { do: "request", method: "DELETE", path, ...(body === undefined ? {} : { body }), ...extra };
}

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** Returns a step that patches an object with one of the four patch types. */
export function patch(type: keyof typeof patchTypes, path: string, body: unknown, extra: Extra = {}): RequestStep {
  const headers = { "content-type": patchTypes[type], ...extra.headers };
  return { do: "request", method: "PATCH", path, body, ...extra, headers };
}

/** Returns a server-side apply step. */
export function apply(path: string, manager: string, body: unknown, { force = false } = {}): RequestStep {
  const query = `${path.includes("?") ? "&" : "?"}fieldManager=${manager}${force ? "&force=true" : ""}`;
  return patch("apply", path + query, body);
}

/** Returns a watch step. */
export function watch(path: string, events: number, extra: Partial<WatchStep> = {}): WatchStep {
  return { do: "watch", path, events, ...extra };
}

/** Returns a step that waits. */
export function until(path: string, status = 200): UntilStep {
  return { do: "until", path, status };
}

/** Returns the path of a namespaced core resource in the namespace of the case. */
export function inCase(plural: string, group = ""): string {
  return group === "" ? `/api/v1/namespaces/{ns}/${plural}` : `/apis/${group}/namespaces/{ns}/${plural}`;
}

/** Returns a ConfigMap. */
export function configMap(name: string, data: Readonly<Record<string, string>> = {}, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

/** Returns a Pod with one container. */
export function pod(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...metadata },
    spec: { containers: [{ name: "main", image: "registry.example/app:1" }], ...spec },
  };
}

/** Returns a Deployment with one container. */
export function deployment(name: string, spec: object = {}): object {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "main", image: "registry.example/app:1" }] },
      },
      ...spec,
    },
  };
}
