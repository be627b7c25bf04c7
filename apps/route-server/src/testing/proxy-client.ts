// A proxy for tests: it follows a stream over HTTP/2 and confirms versions.

import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { createInterface } from "node:readline";
import type { StreamOperation } from "@homeostat/routing";

export interface ProxyClientOptions {
  readonly port: number;
  readonly ca: string;
  readonly token: string;
  /** Query of the stream. */
  readonly query: string;
}

interface Head {
  readonly status: number;
  readonly body: string;
}

/** One connection to a route server. */
export class ProxyClient implements Disposable {
  readonly operations: StreamOperation[] = [];
  readonly #options: ProxyClientOptions;
  readonly #session: ClientHttp2Session;
  stream: ClientHttp2Stream | undefined;
  isEnded = false;

  constructor(options: ProxyClientOptions) {
    this.#options = options;
    this.#session = connect(`https://localhost:${options.port}`, { ca: options.ca });
    this.#session.on("error", () => undefined);
  }

  /** Opens the stream. Its operations are collected unless `isRead` is false. */
  open({ isRead = true }: { readonly isRead?: boolean } = {}): void {
    const stream = this.#session.request({
      ":path": `/v1/stream?${this.#options.query}`,
      authorization: `Bearer ${this.#options.token}`,
    });
    this.stream = stream;
    stream.on("error", () => undefined);
    stream.on("close", () => {
      this.isEnded = true;
    });
    if (isRead) this.read();
  }

  /** Starts to read the stream. */
  read(): void {
    if (this.stream === undefined) return;
    const lines = createInterface({ input: this.stream });
    lines.on("error", () => undefined);
    lines.on("line", (line) => {
      const operation: StreamOperation = JSON.parse(line);
      this.operations.push(operation);
    });
  }

  /** Sends a request and returns its response. */
  async send(
    method: string,
    path: string,
    { body = "", token = this.#options.token }: { readonly body?: string; readonly token?: string } = {},
  ): Promise<Head> {
    const hasBody = method === "POST";
    const headers = { ":method": method, ":path": path, authorization: `Bearer ${token}` };
    const stream = this.#session.request(headers, { endStream: !hasBody });
    if (hasBody) stream.end(body);
    let status = 0;
    stream.on("response", (head) => {
      status = head[":status"] ?? 0;
    });
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    await new Promise<void>((resolve, reject) => {
      stream.on("end", resolve);
      stream.on("error", reject);
    });
    return { status, body: Buffer.concat(chunks).toString() };
  }

  /** Returns the last SYNCED. */
  get synced(): Extract<StreamOperation, { op: "SYNCED" }> | undefined {
    return this.operations.findLast((each) => each.op === "SYNCED");
  }

  /** Returns the last version that was received. */
  get version(): number {
    return this.operations.reduce((last, each) => ("version" in each ? (each.version ?? last) : last), 0);
  }

  async acknowledge(proxy: string, errors: readonly object[] = []): Promise<Head> {
    return this.send("POST", "/v1/ack", { body: JSON.stringify({ proxy, version: this.version, errors }) });
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
  }
}
