import type { RealCluster } from "@homeostat/kube";

/** Access to a real API server. */
export interface Server {
  json(path: string): Promise<unknown>;
  text(path: string): Promise<string>;
  create(path: string, body: unknown): Promise<void>;
}

/** Returns the server of a cluster. Requests throw on an error response. */
export function serverOf(cluster: RealCluster): Server {
  const send = async (method: "GET" | "POST", path: string, body?: unknown): Promise<string> => {
    const { status, text } = await cluster.request({ method, path, body, timeoutMs: 60_000 });
    if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text.slice(0, 500)}`);
    return text;
  };
  return {
    json: async (path): Promise<unknown> => JSON.parse(await send("GET", path)),
    text: (path) => send("GET", path),
    create: async (path, body) => void (await send("POST", path, body)),
  };
}

/** Returns the value of an own field, or undefined. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** Returns a string field; empty if missing. */
export function textField(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
}

/** Returns a list field; empty if missing. */
export function listField(value: unknown, name: string): unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}

/** Returns the own fields of an object with their values; none if the value is not an object. */
export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
