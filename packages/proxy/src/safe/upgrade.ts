import { type IncomingMessage, request as httpRequest } from "node:http";
import type { Duplex } from "node:stream";
import type { RequestProblem } from "../http1/request-head.ts";
import { plainErrorFields, proxyErrors } from "../http2/error-responses.ts";
import type { ForwardPlan, Router } from "../router/route-plan.ts";
import { headersOf, pairsOf } from "./exchange.ts";
import type { SafeContext } from "./forward.ts";
import { http1Request } from "./http1-exchange.ts";
import { splitAddress } from "../upstream/address.ts";
import { connectTls } from "../upstream/upstream-tls.ts";

/** A request of HTTP/1.1 to switch protocols. */
export interface UpgradeRequest {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** First bytes after the request. */
  readonly head: Buffer;
  readonly scheme: "http" | "https";
}

/** Forwards a request to switch protocols. After status 101 of the upstream, bytes pass in both directions. */
export async function serveUpgrade(context: SafeContext, router: Router, upgrade: UpgradeRequest): Promise<void> {
  const { message, socket, scheme } = upgrade;
  const gone = new AbortController();
  socket.on("error", () => undefined);
  socket.on("close", () => gone.abort());
  const request = http1Request(message, pairsOf(message.rawHeaders), { scheme, isUpgrade: true });
  try {
    const routed = router.route(request);
    const plan = routed.type === "hold" ? await routed.wait(gone.signal) : routed;
    if (plan.delayMs > 0) await context.clock.sleep(plan.delayMs, gone.signal);
    if (plan.type === "respond")
      writeHead(socket, plan.status, plainErrorFields(plan.status, plan.body, plan.headers), plan.body);
    else await forwardUpgrade(context, plan, upgrade);
  } catch {
    // The client left.
    socket.destroy();
  }
}

async function forwardUpgrade(
  context: SafeContext,
  plan: ForwardPlan,
  { message, socket, head }: UpgradeRequest,
): Promise<void> {
  const { balancer } = context;
  // A WebSocket on HTTP/2 is an extended CONNECT, whose handshake differs: no key, no accept, other status.
  if (plan.upstreamProtocol === "http2") return respondError(socket, "upgrade-to-http2");
  const target = balancer.choose(plan.workload, plan.targets);
  if (target === undefined) return respondError(socket, "overflow");
  const end = balancer.begin(plan.workload, target);
  const dropped = new Set([...plan.edits.remove, ...plan.edits.set.map(([name]) => name)]);
  const { upstreamTls: tls } = plan;
  const fields = pairsOf(message.rawHeaders).filter(([name]) => !dropped.has(name));
  const outgoing = httpRequest({
    ...splitAddress(target),
    ...(tls !== undefined && { createConnection: () => connectTls(target, tls) }),
    method: message.method,
    path: plan.path,
    headers: headersOf([...fields, ...plan.edits.set]),
  });
  socket.on("close", () => outgoing.destroy());
  await new Promise<void>((resolve) => {
    outgoing.on("upgrade", (response, upstream, rest) => {
      end("answered");
      const lines = [...pairsOf(response.rawHeaders), ...plan.responseHeaders];
      writeHead(socket, 101, lines, "", false);
      if (rest.length > 0) socket.write(rest);
      if (head.length > 0) upstream.write(head);
      upstream.on("error", () => socket.destroy());
      upstream.on("close", () => socket.end());
      socket.on("close", () => upstream.destroy());
      upstream.pipe(socket);
      socket.pipe(upstream);
      upstream.on("close", () => {
        end("ok");
        resolve();
      });
    });
    outgoing.on("response", (response) => {
      // The upstream refuses to switch: its response ends the connection.
      const kept = pairsOf(response.rawHeaders).filter(
        ([name]) => name !== "connection" && name !== "transfer-encoding",
      );
      writeHead(
        socket,
        response.statusCode ?? 502,
        [...kept, ...plan.responseHeaders, ["connection", "close"]],
        "",
        false,
      );
      response.pipe(socket);
      response.on("close", () => {
        end("ok");
        resolve();
      });
    });
    outgoing.on("error", () => {
      end("connect-failed");
      if (!socket.destroyed) respondError(socket, "connect");
      resolve();
    });
    outgoing.end();
  });
}

/** Refuses a request to switch protocols, and closes its connection. */
export function refuseUpgrade(socket: Duplex, { status, text }: RequestProblem): void {
  const body = `${text}\n`;
  writeHead(socket, status, plainErrorFields(status, body, [["connection", "close"]]), body);
}

function respondError(socket: Duplex, cause: "overflow" | "connect" | "upgrade-to-http2"): void {
  const { status, body } = proxyErrors[cause];
  writeHead(socket, status, plainErrorFields(status, body, []), body);
}

function writeHead(
  socket: Duplex,
  status: number,
  fields: readonly (readonly [string, string])[],
  body: string,
  isEnd = true,
): void {
  const lines = fields.filter(([name]) => !name.startsWith(":")).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `HTTP/1.1 ${status} ${status === 101 ? "Switching Protocols" : "Error"}\r\n${lines.join("")}\r\n${body}`,
    "latin1",
  );
  if (isEnd) socket.end();
}
