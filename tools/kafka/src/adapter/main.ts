// The first process of a container: starts Kafka, offers the component contract, and stops Kafka when the container stops.

import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "./config.ts";
import { prepareVolume, readDirectoryId, startKafka, writeKeyStore } from "./java.ts";
import { KafkaNode } from "./kafka-node.ts";

const contractPort = 8081;
const metricsPort = 8080;
const bodyBytesMax = 65_536;
const drainIntervalMs = 1_000;

const config = readConfig(process.env, readFiles(process.env["CHRONIK_CONFIG_PATH"] ?? ""));
const keyStore = writeKeyStore(config);
const read = (path: string): string => readFileSync(path, "utf8");
const tls = config.tls && { ca: read(config.tls.ca), cert: read(config.tls.cert), key: read(config.tls.key) };
const stop = new AbortController();
for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => stop.abort());

// A refused connection means that an image does not offer the contract, so the server listens before anything else.
let node: KafkaNode | undefined;
const servers = [contractPort, metricsPort].map((port) =>
  createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  }).listen(port),
);
await prepareVolume(config, keyStore);
if (stop.signal.aborted) process.exit(0);
const member = new KafkaNode({ config, incarnation: readDirectoryId(config), tls });
node = member;
const kafka = startKafka(config, keyStore);
const ended = once(kafka, "exit");
stop.signal.addEventListener("abort", () => void shutDown());
void drainForever();

const [code] = await ended;
for (const server of servers) server.close().closeAllConnections();
// Kafka never exits by itself, unless it failed.
if (!stop.signal.aborted) process.exit(typeof code === "number" && code > 0 ? code : 1);

async function shutDown(): Promise<void> {
  const wasDrained = await member.isDrained();
  kafka.kill("SIGTERM");
  await ended;
  await member.leave(wasDrained);
  process.exit(0);
}

async function drainForever(): Promise<void> {
  while (!stop.signal.aborted) {
    await member.continueDrain().catch(() => undefined);
    await sleep(drainIntervalMs);
  }
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET" } = request;
  const [path = "/"] = (request.url ?? "/").split("?", 1);
  const body = await readBody(request);
  if (path === "/healthz") return void response.writeHead(200).end("ok\n");
  if (path === "/readyz") {
    const isReady = !stop.signal.aborted && node !== undefined && (await node.isReady());
    return void response.writeHead(isReady ? 200 : 503).end(isReady ? "ok\n" : "not ready\n");
  }
  if (path === "/metrics") return void response.writeHead(200).end(`kafka_started ${node === undefined ? 0 : 1}\n`);
  if (node === undefined) return void response.writeHead(503).end("not ready\n");
  const found = await node.respond({ method, path, body });
  response.writeHead(found.status, { "content-type": "application/json" }).end(JSON.stringify(found.body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new RangeError("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the files of the mounted configuration by path. */
function readFiles(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder).map((name) => join(folder, name));
  return new Map(paths.filter((path) => statSync(path).isFile()).map((path) => [path, readFileSync(path, "utf8")]));
}
