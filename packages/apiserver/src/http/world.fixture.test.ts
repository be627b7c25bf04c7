// A server for tests, and clients that leave nothing between a test and the wire.

import { Agent, request } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { ServerCertificates } from "./server-certificates.ts";
import type { Handler } from "./handler.ts";
import { HttpServer, type HttpServerOptions } from "./server.ts";

const credentials = new ServerCertificates();

/** An answer, whole. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

/** A running server with what its clients need. */
export interface World {
  readonly server: HttpServer;
  readonly port: number;
  readonly ca: string;
  readonly credentials: ServerCertificates;
  ask(path: string, options?: AskOptions): Promise<Reply>;
  /** Opens a connection of TLS for bytes of one's own. */
  connect(protocols?: string[]): Promise<TLSSocket>;
  /** Sends bytes as they are and returns all that comes back until the connection ends. */
  raw(bytes: string | Uint8Array): Promise<string>;
  close(): Promise<void>;
}

/** How one request is made. */
export interface AskOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  readonly agent?: Agent;
}

/** Starts a server. */
export async function startWorld(handler: Handler, options: Omit<HttpServerOptions, "handler"> = {}): Promise<World> {
  const server = new HttpServer({ ...options, handler });
  const { port } = await server.listen({ certificate: credentials.server, clientAuthorities: credentials.ca });
  const { ca } = credentials;
  const agents = new Set<Agent>();
  const open = (protocols: string[] = ["http/1.1"]): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", ca, ALPNProtocols: protocols }, () => resolve(socket));
      socket.on("error", reject);
    });
  return {
    server,
    port,
    ca,
    credentials,
    connect: open,
    ask: (path, { method = "GET", headers = {}, body, agent }: AskOptions = {}) =>
      new Promise((resolve, reject) => {
        const used = agent ?? new Agent({ ca });
        agents.add(used);
        const sending = request({ host: "127.0.0.1", port, path, method, headers, agent: used }, (got) => {
          const pieces: Buffer[] = [];
          got.on("data", (piece: Buffer) => pieces.push(piece));
          got.on("error", reject);
          got.on("end", () => {
            const whole = Buffer.concat(pieces);
            resolve({ status: got.statusCode ?? 0, headers: got.headers, body: whole, text: whole.toString("utf8") });
          });
        });
        sending.on("error", reject);
        sending.end(body);
      }),
    raw: async (bytes) => {
      const socket = await open();
      socket.write(bytes);
      let text = "";
      socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
      await new Promise<void>((resolve) => socket.once("close", () => resolve()));
      return text;
    },
    close: async () => {
      for (const agent of agents) agent.destroy();
      await server.stop({ graceMs: 0 });
    },
  };
}

/** Starts a server for the time of one test. */
export async function withWorld(
  handler: Handler,
  options: Omit<HttpServerOptions, "handler">,
  use: (world: World) => Promise<void>,
): Promise<void> {
  const world = await startWorld(handler, options);
  try {
    await use(world);
  } finally {
    await world.close();
  }
}
