// One list of cases, two subjects: what a case is.

/** A user of the cases: the administrator, somebody without rights (whom the administrator plays), or nobody. */
export type Sender = "admin" | "stranger" | "nobody";

/** One request of a case. `{ns}` in its texts stands for the namespace that belongs to the case. */
export interface RequestStep {
  readonly do: "request";
  readonly method: string;
  readonly path: string;
  /** Sent as JSON, or as it is when it is a text or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: Sender;
}

/** A watch that is read until it has shown so many events, or ends. */
export interface WatchStep {
  readonly do: "watch";
  readonly path: string;
  readonly events: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests that are sent once the watch is open; their answers are not compared. */
  readonly meanwhile?: readonly RequestStep[];
}

/** Asks until the answer has a status, such as after a definition is created; nothing of it is compared. */
export interface UntilStep {
  readonly do: "until";
  readonly path: string;
  readonly status: number;
  /** What the body has in it then. */
  readonly shows?: string;
}

/** A step of a case. */
export type Step = RequestStep | WatchStep | UntilStep;

/** Requests that are sent to both servers, in order; every answer is compared. */
export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Whether the real server tells of several mistakes in an order that it leaves to chance. */
  readonly unordered?: boolean;
}

type Extra = Pick<RequestStep, "headers" | "as">;

/** A read. */
export function get(path: string, extra: Extra = {}): RequestStep {
  return { do: "request", method: "GET", path, ...extra };
}

/** A creation, or whatever else is sent by POST. */
export function post(path: string, body: unknown, extra: Extra = {}): RequestStep {
  return { do: "request", method: "POST", path, body, ...extra };
}

/** A replacement. */
export function put(path: string, body: unknown, extra: Extra = {}): RequestStep {
  return { do: "request", method: "PUT", path, body, ...extra };
}

/** A deletion. */
export function del(path: string, body?: unknown, extra: Extra = {}): RequestStep {
  return { do: "request", method: "DELETE", path, ...(body === undefined ? {} : { body }), ...extra };
}

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** A patch of one of the four forms. */
export function patch(type: keyof typeof patchTypes, path: string, body: unknown, extra: Extra = {}): RequestStep {
  const headers = { "content-type": patchTypes[type], ...extra.headers };
  return { do: "request", method: "PATCH", path, body, ...extra, headers };
}

/** A server-side apply. */
export function apply(path: string, manager: string, body: unknown, { force = false } = {}): RequestStep {
  const query = `${path.includes("?") ? "&" : "?"}fieldManager=${manager}${force ? "&force=true" : ""}`;
  return patch("apply", path + query, body);
}

/** A watch. */
export function watch(path: string, events: number, extra: Partial<WatchStep> = {}): WatchStep {
  return { do: "watch", path, events, ...extra };
}

/** A wait. */
export function until(path: string, status = 200): UntilStep {
  return { do: "until", path, status };
}

/** Where the objects of a namespaced core resource of the case are. */
export function inCase(plural: string, group = ""): string {
  return group === "" ? `/api/v1/namespaces/{ns}/${plural}` : `/apis/${group}/namespaces/{ns}/${plural}`;
}

/** A ConfigMap. */
export function configMap(name: string, data: Readonly<Record<string, string>> = {}, metadata: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

/** A Pod of one container. */
export function pod(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...metadata },
    spec: { containers: [{ name: "main", image: "registry.example/app:1" }], ...spec },
  };
}

/** A Deployment of one container. */
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
