import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { UsageError } from "@homeostat/core";
import { RouteGroup, Sandbox } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { readObject } from "../objects/read-object.ts";
import { connectTcp } from "../tunnel/connect-transport.ts";
import type { proxyFlags } from "./flags.ts";
import { formatHead, parseHead } from "../outbound/inject-key.ts";
import { joinHttp2 } from "../outbound/join-http2.ts";
import { isRunning, readStates, type TunnelState } from "../state/state-file.ts";

/** Protocols of maps. Requests of `http`, which is HTTP/1.1, and `grpc`, which is HTTP/2 without TLS, get the routing key. */
const mapSchemes = ["http", "grpc", "tcp"] as const;
type MapScheme = (typeof mapSchemes)[number];

/** A Service of the cluster and the loopback address that forwards to it. */
export interface ServiceMap {
  readonly scheme: MapScheme;
  readonly target: string;
  readonly listen: { readonly host: string; readonly port: number };
}

const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** Reads `SCHEME://SERVICE.NAMESPACE.svc:PORT@ADDRESS:PORT`. Throws a {@link UsageError}. */
export function mapOf(text: string): ServiceMap {
  const form = /^(http|grpc|tcp):\/\/([a-z0-9.-]+:\d{1,5})@(?:\[?([0-9a-z.:]+?)\]?:)?(\d{1,5})$/;
  const [, word, target = "", host = "127.0.0.1", port = ""] = form.exec(text) ?? [];
  const scheme = mapSchemes.find((each) => each === word);
  const isPort = (digits: string): boolean => Number(digits) >= 1 && Number(digits) <= 65_535;
  if (scheme === undefined || !isPort(port) || !isPort(target.slice(target.lastIndexOf(":") + 1))) {
    throw new UsageError(
      `--map is ${JSON.stringify(text)}; it must be http://SERVICE.NAMESPACE.svc:PORT@127.0.0.1:PORT, or with grpc:// or tcp://.`,
    );
  }
  if (!loopback.has(host)) throw new UsageError(`--map is ${JSON.stringify(text)}; ${host} is not a loopback address.`);
  return { scheme, target, listen: { host, port: Number(port) } };
}

/** Offers Services of the cluster on local ports until it is interrupted. */
export async function proxyLocal(input: CommandInput<typeof proxyFlags>, context: CommandContext): Promise<number> {
  const maps = input.texts("map").map(mapOf);
  const [sandbox, group] = [input.text("sandbox"), input.text("routegroup")];
  if (maps.length === 0 || (sandbox === undefined) === (group === undefined)) {
    throw new UsageError(
      "sandboxctl local proxy requires --map, and --sandbox or --routegroup. See sandboxctl local proxy --help.",
    );
  }
  const { signal, print, note } = context;
  using cluster = await context.connect(input.connection);
  const routingKey = await keyOf(cluster, { sandbox, group }, signal);
  const tunnel = await runningTunnel(cluster.namespace, sandbox, context);
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  try {
    for (const map of maps) {
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
        const fail = (error: unknown): void => {
          note(`${map.target}: ${error instanceof Error ? error.message : String(error)}`);
          socket.destroy();
        };
        lead(socket, map, { routingKey, proxy: tunnel.socks, signal, onError: fail }).catch(fail);
      });
      servers.push(server);
      server.listen(map.listen.port, map.listen.host);
      await once(server, "listening", { signal });
      print(
        `${map.listen.host}:${map.listen.port} -> ${map.target}${map.scheme === "tcp" ? "" : ` with the key ${routingKey}`}`,
      );
    }
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    return exitCodes.done;
  } finally {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
  }
}

/** Forwards a connection to a Service through the proxy of a tunnel. */
async function lead(
  socket: Socket,
  { scheme, target }: ServiceMap,
  {
    routingKey,
    proxy,
    signal,
    onError,
  }: {
    readonly routingKey: string;
    readonly proxy: string;
    readonly signal: AbortSignal;
    readonly onError: (error: unknown) => void;
  },
): Promise<void> {
  const at = proxy.lastIndexOf(":");
  const upstream = await connectTcp(
    { host: proxy.slice(0, at).replace(/^\[|\]$/g, ""), port: Number(proxy.slice(at + 1)) },
    signal,
  );
  upstream.on("error", () => socket.destroy());
  upstream.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  const answer = await readHead(upstream);
  const [first = ""] = answer.head.split("\r\n");
  if (!first.startsWith("HTTP/1.1 200 "))
    throw new CommandError(`the tunnel refused the connection: ${answer.rest.toString()}`, exitCodes.error);
  socket.on("close", () => upstream.destroy());
  if (scheme === "grpc") {
    upstream.unshift(answer.rest);
    return joinHttp2(socket, upstream, { routingKey, onError });
  }
  if (scheme === "http" && !(await sendHead(socket, upstream, routingKey))) {
    upstream.destroy();
    const text =
      "sandboxctl: not an HTTP/1.1 request, so it cannot get the routing key; use a map of the scheme grpc for HTTP/2, and tcp for other protocols\n";
    socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`);
    return;
  }
  socket.write(answer.rest);
  socket.pipe(upstream).pipe(socket);
}

/** Forwards the head of a request with the routing key. Resolves with false if the client sends anything else. */
async function sendHead(socket: Socket, upstream: Socket, routingKey: string): Promise<boolean> {
  let bytes: Buffer = Buffer.alloc(0);
  for (;;) {
    const head = parseHead(bytes);
    if (head === "invalid") return false;
    if (head !== undefined) {
      upstream.write(formatHead(head, { target: head.target, routingKey }));
      upstream.write(head.rest);
      return true;
    }
    const chunk = await nextChunk(socket);
    if (chunk === undefined) return false;
    bytes = Buffer.concat([bytes, chunk]);
  }
}

async function readHead(socket: Socket): Promise<{ readonly head: string; readonly rest: Buffer }> {
  let bytes: Buffer = Buffer.alloc(0);
  for (;;) {
    const end = bytes.indexOf("\r\n\r\n");
    if (end >= 0) return { head: bytes.toString("latin1", 0, end), rest: bytes.subarray(end + 4) };
    const chunk = await nextChunk(socket);
    if (chunk === undefined || bytes.length > 16_384) return { head: "", rest: bytes };
    bytes = Buffer.concat([bytes, chunk]);
  }
}

/** Returns the next bytes of a socket; undefined at its end. The socket is paused afterwards. */
function nextChunk(socket: Socket): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const finish = (chunk: Buffer | undefined): void => {
      socket.pause();
      socket.off("data", finish).off("end", ended).off("close", ended);
      resolve(chunk);
    };
    const ended = (): void => finish(undefined);
    socket.on("data", finish).on("end", ended).on("close", ended);
    socket.resume();
  });
}

async function keyOf(
  { client, namespace }: Cluster,
  { sandbox, group }: { readonly sandbox: string | undefined; readonly group: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  const object =
    sandbox === undefined
      ? await readObject(RouteGroup, {
          client,
          namespace,
          name: group ?? "",
          signal,
          next: `sandboxctl rg list -n ${namespace}`,
        })
      : await readObject(Sandbox, {
          client,
          namespace,
          name: sandbox,
          signal,
          next: `sandboxctl sandbox list -n ${namespace}`,
        });
  const { routingKey } = object.status;
  if (routingKey !== undefined) return routingKey;
  throw new CommandError(
    `${object.kind} ${namespace}/${object.metadata.name ?? ""} has no routing key yet; try again`,
    exitCodes.error,
  );
}

/** Returns a tunnel of this machine in the namespace, of the sandbox if there is one. */
async function runningTunnel(
  namespace: string,
  sandbox: string | undefined,
  { machine, clock }: CommandContext,
): Promise<TunnelState> {
  const running = (await readStates(machine.stateFolder)).filter(
    (state) => state.namespace === namespace && isRunning(state, clock),
  );
  const found = running.find((state) => state.sandbox === sandbox) ?? running[0];
  if (found !== undefined) return found;
  const form = `sandboxctl local connect --sandbox ${sandbox ?? "NAME"} --service NAME -n ${namespace}`;
  throw new CommandError(
    `No tunnel of this machine runs in namespace ${namespace}. Start one with ${form}`,
    exitCodes.notFound,
  );
}
