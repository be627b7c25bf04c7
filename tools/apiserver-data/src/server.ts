import type { RealCluster } from "@homeostat/kube";

/** Says what a real server answers. */
export interface Server {
  json(path: string): Promise<unknown>;
  text(path: string): Promise<string>;
  create(path: string, body: unknown): Promise<void>;
}

/** The server of `cluster`; every refusal is thrown. */
export function serverOf(cluster: RealCluster): Server {
  const send = async (method: "GET" | "POST", path: string, body?: unknown): Promise<string> => {
    const { status, text } = await cluster.request({ method, path, body, timeoutMs: 60_000 });
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text.slice(0, 500)}`);
    return text;
  };
  return {
    json: async (path): Promise<unknown> => JSON.parse(await send("GET", path)),
    text: (path) => send("GET", path),
    create: async (path, body) => void (await send("POST", path, body)),
  };
}

/** The value of an own field, or undefined. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** A field that is a text; an empty one where there is none. */
export function textField(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
}

/** A field that is a list; an empty one where there is none. */
export function listField(value: unknown, name: string): unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}

/** The own fields of an object with their values; none where the value is no object. */
export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
