import { FakeClock, SeededRandom } from "@homeostat/core";
import { ClientConnection } from "../http1/client-connection.ts";
import { Http1Engine } from "../http1/engine.ts";
import { defaultLimits } from "../limits/limits.ts";
import { TwoChoiceBalancer } from "../upstream/two-choice-balancer.ts";
import { deliverShared } from "./shared-reads.ts";
import { TextSocket } from "./text-socket.ts";
import { forwardPlan } from "./stand.ts";

/** Reaction of a proxy to the bytes of a client. */
export interface ProxyResult {
  /** Method and target of each request that was forwarded completely. */
  readonly requests: readonly string[];
  /** Bytes that the upstreams received, one text per connection. */
  readonly upstream: readonly string[];
  /** Bytes that the client received. */
  readonly client: string;
  readonly isClosed: boolean;
}

const response = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");

/** Sends chunks through an HTTP/1.1 engine without sockets. The upstream responds to every request as soon as it is complete. */
export function proxyInMemory(chunks: readonly Buffer[]): ProxyResult {
  const clock = new FakeClock();
  const upstreams: TextSocket[] = [];
  const routed: string[] = [];
  const requests: string[] = [];
  const limits = defaultLimits;
  const engine = new Http1Engine({
    balancer: new TwoChoiceBalancer({ clock, random: new SeededRandom(1), limits }),
    clock,
    limits,
    observer: { requestEnded: () => undefined, failed: () => undefined },
    connect: () => {
      const socket = new TextSocket();
      upstreams.push(socket);
      return socket;
    },
  });
  const router = {
    route: (request: Parameters<typeof forwardPlan>[0]) => {
      routed.push(`${request.method} ${request.path}`);
      return forwardPlan(request, "upstream:80");
    },
  };
  const socket = new TextSocket();
  const connection = new ClientConnection(
    { socket, protocol: "http1", first: Buffer.alloc(0), router, scheme: "http" },
    engine,
    engine,
  );
  const answer = (): void => {
    while (requests.length < routed.length && connection.isRequestDone) {
      const upstream = upstreams.at(-1);
      if (upstream === undefined || upstream.destroyed) return;
      if (upstream.listenerCount("connect") > 0) upstream.emit("connect");
      requests.push(routed[requests.length] ?? "");
      upstream.emit("data", response);
    }
  };
  for (const chunk of chunks) {
    deliverShared(chunk, connection);
    const upstream = upstreams.at(-1);
    if (upstream !== undefined && upstream.listenerCount("connect") > 0) upstream.emit("connect");
    answer();
  }
  const isClosed = socket.isEnded || socket.destroyed;
  connection.destroy();
  engine.close();
  return { requests, upstream: upstreams.map(({ written }) => written), client: socket.written, isClosed };
}
