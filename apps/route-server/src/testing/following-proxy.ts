// A proxy for tests and benchmarks that follows its tables as the protocol describes: it reconnects to any replica and continues.

import { connect } from "node:http2";
import { createInterface } from "node:readline";
import type { StreamOperation } from "@homeostat/routing";

export interface FollowingProxyOptions {
  /** Returns the ports of the replicas. They are tried in turns. */
  readonly ports: () => readonly number[];
  readonly ca: string;
  readonly token: () => string | Promise<string>;
  readonly proxy: string;
  /** Host name of the certificate, if it is not that of the address. */
  readonly servername?: string | undefined;
  /** Called after each operation was applied. */
  readonly onOperation?: ((operation: StreamOperation) => void) | undefined;
}

const retryMs = 100;

export class FollowingProxy {
  /** Versions of the tables in use, by `namespace/service`. */
  readonly tables: Map<string, string> = new Map();
  /** Reasons of streams that the server ended. */
  readonly ends: string[] = [];
  connections = 0;
  isSynced = false;
  readonly #options: FollowingProxyOptions;
  #received = new Set<string>();
  #epoch = "";
  #version: number | undefined;

  constructor(options: FollowingProxyOptions) {
    this.#options = options;
  }

  /** Follows the tables until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const ports = this.#options.ports();
      const port = ports[attempt % ports.length];
      if (port !== undefined) await this.#follow(port, signal);
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }

  async #follow(port: number, signal: AbortSignal): Promise<void> {
    const { ca, token, proxy, servername } = this.#options;
    const authorization = `Bearer ${await token()}`;
    const session = connect(`https://localhost:${port}`, { ca, ...(servername === undefined ? {} : { servername }) });
    session.on("error", () => undefined);
    const abort = (): void => session.destroy();
    signal.addEventListener("abort", abort);
    this.#received = new Set();
    this.isSynced = false;
    const from = this.#version === undefined ? "" : `&from=${this.#epoch}.${this.#version}`;
    const path = `/v1/stream?role=takeover&proxy=${proxy}${from}`;
    const stream = session.request({ ":path": path, authorization });
    stream.on("error", () => undefined);
    const confirm = (version: number): void => {
      if (session.destroyed) return;
      const ack = session.request({ ":path": "/v1/ack", ":method": "POST", authorization });
      ack.on("error", () => undefined);
      ack.resume();
      ack.end(JSON.stringify({ proxy, version, epoch: this.#epoch }));
    };
    this.connections += 1;
    const lines = createInterface({ input: stream });
    lines.on("error", () => undefined);
    lines.on("line", (line) => {
      const operation: StreamOperation | { op: undefined } = JSON.parse(line);
      if (operation.op === undefined) return;
      const version = this.#apply(operation);
      if (version !== undefined) confirm(version);
      this.#options.onOperation?.(operation);
    });
    await new Promise<void>((resolve) => {
      stream.on("close", resolve);
      session.on("close", resolve);
    });
    signal.removeEventListener("abort", abort);
    session.destroy();
  }

  /** Applies an operation. Returns the version to confirm. */
  #apply(operation: StreamOperation): number | undefined {
    if (operation.op === "END") this.ends.push(operation.reason);
    if (operation.op === "SYNCED") {
      if (operation.snapshot) {
        for (const key of this.tables.keys()) if (!this.#received.has(key)) this.tables.delete(key);
      }
      this.#epoch = operation.epoch;
      this.#version = operation.version;
      this.isSynced = true;
      return operation.version;
    }
    if (!("table" in operation)) return undefined;
    const key = `${operation.table.namespace}/${operation.table.service}`;
    if (operation.op === "REMOVE") this.tables.delete(key);
    else this.tables.set(key, operation.table.version);
    this.#received.add(key);
    if (!this.isSynced || operation.version === undefined) return undefined;
    this.#version = operation.version;
    return operation.version;
  }
}
