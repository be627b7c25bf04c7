// The program of apps/proxy with hostile clients, which are processes of their own, and with other clients that must be served meanwhile.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BackgroundProgram } from "../../harness/background-program.ts";
import { type Stage, startStage } from "./stage.ts";
import { Upstream } from "./upstream.ts";

/** The container of a proxy may use 512 MiB. */
export const memoryMiBMax = 400;

/** Options of {@link OverloadedProxy.start}. */
export interface OverloadOptions {
  /** Value of `--limits`. */
  readonly limits: string;
  /** Program of the hostile clients, beside this module. Its words are a kind, the port and a number. */
  readonly clients: string;
  /** Protocols of the other clients. */
  readonly protocols: readonly ("http1" | "http2")[];
}

/** A proxy under overload. */
export class OverloadedProxy implements AsyncDisposable {
  /** Responses and errors of other clients that were not as expected. */
  readonly failed: string[] = [];
  /** Requests of other clients that were served. */
  served = 0;
  readonly #upstream: Upstream;
  readonly #stage: Stage;
  readonly #clients: string;
  readonly #programs = new Map<string, BackgroundProgram>();
  readonly #stopping = new AbortController();
  readonly #serving: readonly Promise<void>[];

  private constructor(upstream: Upstream, stage: Stage, { clients, protocols }: OverloadOptions) {
    this.#upstream = upstream;
    this.#stage = stage;
    this.#clients = fileURLToPath(new URL(clients, import.meta.url));
    const fetches = { http1: () => this.#fetchHttp1(), http2: () => this.#fetchHttp2() };
    this.#serving = protocols.map((protocol) => this.#serve(fetches[protocol]));
  }

  static async start(options: OverloadOptions): Promise<OverloadedProxy> {
    const upstream = new Upstream("small");
    const address = await upstream.start();
    const addresses = { baseline: address, fork: address };
    const stage = await startStage(addresses, "fast", { limits: options.limits, raisesFileLimit: true });
    return new OverloadedProxy(upstream, stage, options);
  }

  /** Sends requests one after the other, each on a connection of its own, and records those that fail. */
  async #serve(fetchName: () => Promise<string>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await fetchName().then(
        (body) => (body.startsWith('{"server":"small"') ? (this.served += 1) : this.failed.push(body)),
        (error: unknown) => this.failed.push(String(error)),
      );
      await setTimeout(20);
    }
  }

  async #fetchHttp1(): Promise<string> {
    const outgoing = request({ host: "127.0.0.1", port: this.#stage.port, path: "/name", agent: false });
    outgoing.end();
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    let body = "";
    for await (const part of response.setEncoding("latin1")) body += part;
    return body;
  }

  async #fetchHttp2(): Promise<string> {
    const session: ClientHttp2Session = connect(`http://127.0.0.1:${this.#stage.port}`);
    try {
      const stream = session.request({ ":path": "/name" });
      let body = "";
      for await (const part of stream.setEncoding("latin1")) body += part;
      return body;
    } finally {
      session.close();
    }
  }

  /** Waits before the next look at a condition. Rejects when the suite ends. */
  pause(): Promise<void> {
    return setTimeout(20, undefined, { signal: this.#stopping.signal });
  }

  /** Starts hostile clients of a kind, and waits until their connections are open. */
  async open(kind: string, connections: number): Promise<void> {
    const words = [process.execPath, this.#clients, kind, String(this.#stage.port), String(connections)];
    const raised = ["-c", 'ulimit -n "$(ulimit -Hn)"; exec "$0" "$@"', ...words];
    this.#programs.set(kind, new BackgroundProgram("bash", raised));
    await this.printed(kind, "open\n");
  }

  /** Sends a signal to the clients of a kind. */
  signal(kind: string, signal: NodeJS.Signals): void {
    process.kill(this.#programs.get(kind)?.pid ?? Number.NaN, signal);
  }

  /** Waits until clients of a kind have printed a text, and returns their output. */
  async printed(kind: string, text: string): Promise<string> {
    for (;;) {
      const output = this.#programs.get(kind)?.output ?? "";
      if (output.includes(text)) return output;
      assert.doesNotMatch(output, /Error/);
      await this.pause();
    }
  }

  /** Waits until the proxy has closed all connections of a kind. Returns the numbers that the clients print. */
  async closed(kind: string): Promise<unknown> {
    const output = await this.printed(kind, "}\n");
    return JSON.parse(output.trim().split("\n").at(-1) ?? "");
  }

  /** The most memory that the proxy has used so far. */
  peakMiB(): number {
    const status = readFileSync(`/proc/${this.#stage.proxy.pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }

  /** The number of files and sockets that the proxy has open. */
  openFiles(): number {
    return readdirSync(`/proc/${this.#stage.proxy.pid}/fd`).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#serving);
    for (const program of this.#programs.values()) await program[Symbol.asyncDispose]();
    await this.#stage[Symbol.asyncDispose]();
    await this.#upstream[Symbol.asyncDispose]();
  }
}
