// The stub as a program for an image: the same behavior as the app model, with sockets and files. It is bundled into one file, which needs nothing but Node.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, isRecord, type Random, systemClock, systemRandom } from "@homeostat/core";
import { sendHttp } from "@homeostat/http";
import { componentPort } from "../component/contract.ts";
import { readStubConfig } from "./config.ts";
import type { PeerTransport, QuorumMessage, QuorumReply, StubVolume } from "./quorum-member.ts";
import { StubNode, stubPorts } from "./stub-node.ts";

/** Path of messages between controllers. */
const peerPath = "/raft";
const bodyBytesMax = 65_536;
const peerTimeoutMs = 400;

/** Options of {@link runStub}. */
export interface RunStubOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Address to listen on. Default: all addresses. */
  readonly host?: string | undefined;
  /** Maps a port of a peer or of this component to the port to use. Default: the port itself. */
  readonly portOf?: ((host: string, port: number) => number) | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/** Runs the stub until the signal aborts. */
export async function runStub(options: RunStubOptions): Promise<void> {
  const { env, signal, host, portOf = (_host, port) => port, clock = systemClock, random = systemRandom } = options;
  const variables = new Map(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const config = readStubConfig(variables, readFiles(variables.get("CHRONIK_CONFIG_PATH") ?? "/etc/chronik/config"));
  const volume = folderVolume(variables.get("STORAGE_PATH") ?? "/var/lib/chronik");
  const node = new StubNode({ config, volume, peers: httpPeers({ clock, portOf, signal }), clock, random });
  const [contractPort = 0, metricsPort = 0, clientPort = 0] = stubPorts[config.role] ?? [];
  const own = config.address.split(":")[0] ?? "";
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    respond(node, request, response).catch(() => response.destroy());
  };
  const servers = [
    { server: createServer(answer), port: contractPort },
    { server: createServer(answer), port: metricsPort },
    { server: createTcpServer((socket) => void socket.on("error", () => socket.destroy()).resume()), port: clientPort },
  ];
  for (const { server, port } of servers)
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port: portOf(own, port), host }, resolve);
    });
  node.start();
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  node.stop();
  for (const { server } of servers) {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  }
}

async function respond(node: StubNode, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const piece = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    bytes += piece.length;
    if (bytes > bodyBytesMax) return void response.writeHead(413).end();
    chunks.push(piece);
  }
  const body = Buffer.concat(chunks).toString();
  const [path = "/"] = (request.url ?? "/").split("?", 1);
  if (path === peerPath) {
    const message: unknown = JSON.parse(body);
    const reply = isMessage(message) ? node.receive(message) : undefined;
    // A stub that hangs gives no response to its peers either.
    if (reply !== undefined) response.writeHead(200).end(JSON.stringify(reply));
    return;
  }
  const key = request.headers["x-api-key"];
  const { method = "GET" } = request;
  const found = await node.respond({ method, path, body, apiKey: typeof key === "string" ? key : undefined });
  response.writeHead(found.status, { "content-type": found.contentType }).end(found.body);
}

function httpPeers({
  clock,
  portOf,
  signal,
}: Pick<RunStubOptions, "signal"> & {
  readonly clock: Clock;
  readonly portOf: (host: string, port: number) => number;
}): PeerTransport {
  return {
    send: async (address, message) => {
      const [host = ""] = address.split(":");
      using timeout = clock.timeout(peerTimeoutMs);
      try {
        const { status, body } = await sendHttp({
          method: "POST",
          host,
          port: portOf(host, componentPort),
          path: peerPath,
          headers: { "content-type": "application/json", connection: "close" },
          body: JSON.stringify(message),
          signal: AbortSignal.any([signal, timeout.signal]),
          bodyBytesMax,
        });
        const reply: unknown = status === 200 ? JSON.parse(body.toString()) : undefined;
        return isReply(reply) ? reply : undefined;
      } catch {
        // A peer that cannot be reached is the normal case while pods restart.
        return undefined;
      }
    },
  };
}

/** Reports whether a value has the form of a message. Peers run the same program, so its lists are not checked further. */
function isMessage(value: unknown): value is QuorumMessage {
  return isRecord(value) && typeof value["type"] === "string" && isRecord(value["from"]) && isRecord(value["list"]);
}

function isReply(value: unknown): value is QuorumReply {
  return isRecord(value) && isRecord(value["from"]) && typeof value["term"] === "number" && isRecord(value["list"]);
}

/** Returns the files of the mounted configuration by path. */
function readFiles(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder).map((name) => join(folder, name));
  return new Map(paths.filter((path) => statSync(path).isFile()).map((path) => [path, readFileSync(path, "utf8")]));
}

/** Returns a folder as a volume. Files are replaced as a whole, so that a crash leaves the former content. */
function folderVolume(folder: string): StubVolume {
  mkdirSync(folder, { recursive: true });
  const pathOf = (name: string): string => join(folder, name);
  return {
    get: (name) => (existsSync(pathOf(name)) ? readFileSync(pathOf(name), "utf8") : undefined),
    set: (name, text) => {
      writeFileSync(pathOf(`${name}.new`), text);
      renameSync(pathOf(`${name}.new`), pathOf(name));
    },
    clear: () => {
      for (const name of readdirSync(folder)) if (name.endsWith(".json")) rmSync(pathOf(name));
    },
  };
}
