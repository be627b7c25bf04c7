import { setMaxListeners } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { openHttp, sendHttp } from "@homeostat/http";
import { isRecord, ownValue } from "@homeostat/core";

/** A response with its body as JSON, or as text if it is not JSON. */
export interface TestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly value: unknown;
}

/** A message of an event stream. */
export interface TestMessage {
  readonly event: string;
  readonly data: unknown;
}

/** Sends requests to a dashboard as a browser does: with its cookies. */
export class BrowserLike {
  readonly port: number;
  readonly #stop = new AbortController();
  readonly #cookies = new Map<string, string>();
  #headers: Readonly<Record<string, string>> = {};

  constructor(port: number) {
    this.port = port;
    setMaxListeners(0, this.#stop.signal);
  }

  /** Adds headers to all later requests. */
  setHeaders(headers: Readonly<Record<string, string>>): void {
    this.#headers = headers;
  }

  /** The cookies that the server has set, by name. */
  get cookies(): Map<string, string> {
    return this.#cookies;
  }

  /** Opens a login link. */
  login(url: string): Promise<TestResponse> {
    const { pathname, search } = new URL(url);
    return this.get(`${pathname}${search}`);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
    return this.#send("GET", path, { headers });
  }

  /** Sends a write as the page does. */
  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<TestResponse> {
    const own = {
      origin: `http://127.0.0.1:${this.port}`,
      "content-type": "application/json",
      "x-homeostat-dashboard": "1",
    };
    return this.#send("POST", path, { headers: { ...own, ...headers }, body: JSON.stringify(body) });
  }

  /** Yields the messages of an event stream until the caller leaves the loop. */
  async *stream(path: string): AsyncGenerator<TestMessage> {
    const message = await openHttp({ ...this.#request("GET", path, {}), signal: this.#stop.signal });
    let text = "";
    for await (const chunk of message) {
      text += String(chunk);
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = /^event: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
      }
    }
  }

  /** Returns the data of the first message that matches. */
  async until(path: string, matches: (message: TestMessage) => boolean): Promise<unknown> {
    for await (const message of this.stream(path)) if (matches(message)) return message.data;
    throw new Error(`${path} ended`);
  }

  close(): void {
    this.#stop.abort(new Error("closed"));
  }

  #request(method: string, path: string, headers: Readonly<Record<string, string>>) {
    const pairs = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const cookie: Record<string, string> = pairs === "" ? {} : { cookie: pairs };
    return { method, host: "127.0.0.1", port: this.port, path, headers: { ...cookie, ...this.#headers, ...headers } };
  }

  #keep(header: string): void {
    const [, name = "", value = ""] = /^([^=]*)=([^;]*)/.exec(header) ?? [];
    if (header.includes("Max-Age=0")) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }

  async #send(
    method: string,
    path: string,
    { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<TestResponse> {
    const request = {
      ...this.#request(method, path, headers),
      body,
      signal: this.#stop.signal,
      bodyBytesMax: 16_000_000,
    };
    const response = await sendHttp(request);
    for (const header of response.headers["set-cookie"] ?? []) this.#keep(header);
    const text = response.body.toString("utf8");
    const isJson = String(response.headers["content-type"]).startsWith("application/json");
    return { status: response.status, headers: response.headers, text, value: isJson ? JSON.parse(text) : text };
  }
}

/** Returns a nested field of a JSON value; undefined if there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const name of path) {
    if (Array.isArray(found)) found = found[Number(name)];
    else found = isRecord(found) ? ownValue(found, String(name)) : undefined;
  }
  return found;
}

/** Returns the entries of a list in a JSON value. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}
