import { once } from "node:events";
import { createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { FakeClock, SeededRandom, systemClock } from "@homeostat/core";
import { compileTable, KeyReader, type RoutingErrorReason } from "@homeostat/routing";
import type { EquivalenceCase } from "@homeostat/routing/equivalence";
import { Http1Engine } from "../http1/engine.ts";
import { Http2Engine } from "../http2/engine.ts";
import { frameTypes } from "../http2/protocol.ts";
import { defaultLimits } from "../limits/limits.ts";
import type { Engine } from "../listener/engine.ts";
import { Holds } from "../router/holds.ts";
import type { HttpProtocol, IncomingRequest, RoutePlan, Router } from "../router/route-plan.ts";
import { RouteTables } from "../router/route-tables.ts";
import { TableRouter } from "../router/table-router.ts";
import { SafeEngine } from "../safe/safe-engine.ts";
import { clientHello, fieldsOf, headersFrame, parseFrames, settingsAck } from "./frames.ts";
import { RecordingObserver } from "./recording-observer.ts";
import { SimpleBalancer } from "./simple-balancer.ts";

/** An engine with the protocol in which its clients and upstreams speak. */
export interface EquivalenceSubject {
  readonly engine: "http1" | "http2" | "safe";
  readonly protocol: HttpProtocol;
}

/** Result of the request of a case. */
export interface CaseResult {
  readonly status: number;
  /** Address that the upstream stands for; undefined if the proxy responded itself. */
  readonly address: string | undefined;
  /** True if the request waited for a target. */
  readonly isHeld: boolean;
  readonly counted: readonly RoutingErrorReason[];
}

/** Response header that names the address of an upstream. */
const addressHeader = "x-address";
/** Status of a request whose stream the proxy resets. */
export const reset = 0;
/** Listener of the table with keys that only other Services have. */
const otherListen = 1;

/** An engine between a client and upstreams of loopback that stand for the addresses of the equivalence cases. */
export class EquivalenceStand implements AsyncDisposable {
  readonly #protocol: HttpProtocol;
  readonly #engine: Engine;
  readonly #upstreams = new Map<string, Server>();
  readonly #sockets = new Set<Socket>();
  readonly #listener = createServer({ allowHalfOpen: true, noDelay: true });

  constructor({ engine, protocol }: EquivalenceSubject) {
    const observer = new RecordingObserver();
    const shared = { clock: systemClock, limits: defaultLimits, balancer: new SimpleBalancer(), observer };
    const engines = { http1: Http1Engine, http2: Http2Engine, safe: SafeEngine };
    this.#engine = new engines[engine](shared);
    this.#protocol = protocol;
  }

  async start(): Promise<this> {
    this.#listener.listen(0, "127.0.0.1");
    await once(this.#listener, "listening");
    return this;
  }

  /** Sends the request of a case through the engine. */
  async run(each: EquivalenceCase): Promise<CaseResult> {
    const counted: RoutingErrorReason[] = [];
    const { table, role, settings, otherKeys, port } = each;
    const holdClock = new FakeClock();
    const tables = new RouteTables({
      keys: new KeyReader({ role, settings }),
      random: new SeededRandom(1),
      count: (reason) => counted.push(reason),
    });
    const [entry] = table.entries;
    const others = {
      ...table,
      service: "other",
      ports: table.ports.map((one) => ({ ...one, listen: otherListen })),
      entries: entry === undefined ? [] : otherKeys.map((routingKey) => ({ ...entry, routingKey })),
    };
    // The cases are about routes. An engine refuses clients of HTTP/1.1 to a port of HTTP/2; the listener would choose the translator.
    const ports = table.ports.map((one) => ({ ...one, appProtocol: undefined }));
    tables.swap({ tables: [compileTable({ ...table, ports }), compileTable(others)] });
    const listen = table.ports.find((one) => one.port === port)?.listen ?? 0;
    const router = new TableRouter({ tables, listen, holds: new Holds({ clock: holdClock, limits: defaultLimits }) });
    let isHeld = false;
    const addresses = [...tables.current.addresses];
    for (const address of addresses) await this.#start(address);
    const response = await this.#exchange(each, {
      route: (request) => {
        const plan = this.#local(router.route(withFacts(request, each)));
        if (plan.type === "hold") {
          isHeld = true;
          // After the engine has begun to wait.
          setImmediate(() => void holdClock.advance(3_600_000));
        }
        return plan;
      },
    });
    return { ...response, isHeld, counted };
  }

  /** Returns a plan with the local addresses of its targets. */
  #local<P extends RoutePlan>(plan: P): P {
    if (plan.type === "forward") return { ...plan, targets: plan.targets.map((target) => this.#addressOf(target)) };
    if (plan.type !== "hold") return plan;
    return {
      ...plan,
      wait: async (signal: AbortSignal, bytes?: number) => this.#local(await plan.wait(signal, bytes)),
    };
  }

  #addressOf(target: string): string {
    const server = this.#upstreams.get(target);
    if (server === undefined) throw new Error(`${target} is not in the tables`);
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async #start(address: string): Promise<void> {
    if (this.#upstreams.has(address)) return;
    const server = this.#protocol === "http1" ? http1Upstream(address) : http2Upstream(address);
    server.on("connection", (socket: Socket) => this.#keep(socket));
    this.#upstreams.set(address, server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }

  /** Hands a new connection to the engine and sends the request on it. */
  async #exchange(each: EquivalenceCase, router: Router): Promise<Pick<CaseResult, "status" | "address">> {
    const accepted = once(this.#listener, "connection") as Promise<[Socket]>;
    const client = connect({ host: "127.0.0.1", port: (this.#listener.address() as AddressInfo).port, noDelay: true });
    this.#keep(client);
    const [socket] = await accepted;
    this.#keep(socket);
    client.write(this.#protocol === "http1" ? http1Request(each) : http2Request(each));
    const [first] = (await once(socket, "data")) as [Buffer];
    this.#engine.accept({ socket, first, router, scheme: "http", protocol: this.#protocol });
    const bytes: Buffer[] = [];
    for await (const chunk of client) {
      bytes.push(chunk as Buffer);
      const response = this.#protocol === "http1" ? http1Response(bytes) : http2Response(bytes);
      if (response !== undefined) return response;
    }
    return { status: reset, address: undefined };
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#engine.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const server of [this.#listener, ...this.#upstreams.values()]) {
      server.close();
      await once(server, "close");
    }
  }
}

/** Adds the facts that a listener knows of a connection: its peer, and the preview host by which the request arrived. */
function withFacts(request: IncomingRequest, { request: facts }: EquivalenceCase): IncomingRequest {
  const { protocol, scheme, method, path, headers, authority, isUpgrade, isGrpc } = request;
  const { assignedKey, defaultKey, isFromNode, clientAddress = request.clientAddress } = facts;
  const fromHead = { protocol, scheme, method, path, headers, authority, isUpgrade, isGrpc };
  return { ...fromHead, assignedKey, defaultKey, isFromNode, clientAddress };
}

/** An upstream without a parser: Node's would refuse methods that it does not know. */
function http1Upstream(address: string): Server {
  return createServer((socket) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (!text.endsWith("\r\n\r\n")) return;
      text = "";
      socket.write(`HTTP/1.1 200 OK\r\n${addressHeader}: ${address}\r\ncontent-length: 0\r\n\r\n`);
    });
  });
}

function http2Upstream(address: string): Server {
  const server = createHttp2Server();
  server.on("stream", (stream) => {
    stream.on("error", () => undefined);
    stream.respond({ ":status": 200, [addressHeader]: address }, { endStream: true });
  });
  return server;
}

function http1Request({ request: { method, path, headers } }: EquivalenceCase): Buffer {
  const fields = [["host", "cart.shop"], ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields.join("")}\r\n`, "latin1");
}

function http2Request({ request: { method, path, headers } }: EquivalenceCase): Buffer {
  const pseudo = [":method", ":scheme", ":path", ":authority"] as const;
  const values = [method, "http", path, "cart.shop"];
  const fields = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return Buffer.concat([
    clientHello,
    settingsAck,
    headersFrame(1, [...pseudo.map((name, index) => [name, values[index] ?? ""] as const), ...fields]),
  ]);
}

function http1Response(bytes: readonly Buffer[]): Pick<CaseResult, "status" | "address"> | undefined {
  const text = Buffer.concat(bytes).toString("latin1");
  if (!text.includes("\r\n\r\n")) return undefined;
  const address = new RegExp(`^${addressHeader}: (.*)\r$`, "im").exec(text)?.[1];
  return { status: Number(text.slice(9, 12)), address };
}

function http2Response(bytes: readonly Buffer[]): Pick<CaseResult, "status" | "address"> | undefined {
  const frames = parseFrames(Buffer.concat(bytes)).filter(({ id }) => id === 1);
  if (frames.some(({ type }) => type === frameTypes.rstStream)) return { status: reset, address: undefined };
  const head = frames.find(({ type }) => type === frameTypes.headers);
  if (head === undefined) return undefined;
  const fields = fieldsOf(head.payload);
  return { status: Number(fields[":status"]), address: fields[addressHeader] };
}
