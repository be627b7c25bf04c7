import { connect } from "node:net";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { Http1Engine } from "../http1/engine.ts";
import { defaultLimits, type ProxyLimits } from "../limits/limits.ts";
import { Listeners } from "../listener/listeners.ts";
import type { ProxyErrorReason, RequestEnd } from "../observe/observer.ts";
import type { ForwardPlan, IncomingRequest, RoutePlan, Router } from "../router/route-plan.ts";
import { type Connect, connectTcp } from "../upstream/connect.ts";
import { TwoChoiceBalancer } from "../upstream/two-choice-balancer.ts";
import { RawUpstream } from "./raw-upstream.ts";
import { connected, type Wire } from "./wire.ts";

/** Options of {@link startStand}. */
export interface StandOptions {
  readonly limits?: Partial<ProxyLimits>;
  /** Opens connections to upstreams. Default: TCP. */
  readonly connect?: Connect | undefined;
  /** Returns the plan of a request. Default: forward to the upstream. */
  readonly plan?: (request: IncomingRequest, forward: ForwardPlan) => RoutePlan;
}

/** A proxy between a client and an upstream that the test plays. Time stands still unless the test moves it. */
export interface Stand extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly engine: Http1Engine;
  readonly listeners: Listeners;
  readonly upstream: RawUpstream;
  readonly failures: readonly ProxyErrorReason[];
  readonly ends: readonly RequestEnd[];
  readonly port: number;
  /** Opens a connection of a client. */
  connect(): Promise<Wire>;
  /** Sends a request on a new connection, and returns both ends when the upstream has received its head. */
  exchange(request: string): Promise<{ readonly client: Wire; readonly upstream: Wire; readonly head: string }>;
}

/** Starts a proxy on loopback. */
export async function startStand({
  limits: changed = {},
  connect: connectUpstream = connectTcp,
  plan = (_, forward) => forward,
}: StandOptions = {}): Promise<Stand> {
  const upstream = await RawUpstream.start();
  const clock = new FakeClock();
  const limits = { ...defaultLimits, ...changed };
  const failures: ProxyErrorReason[] = [];
  const ends: RequestEnd[] = [];
  const observer = {
    requestEnded: (end: RequestEnd) => void ends.push(end),
    failed: (reason: ProxyErrorReason) => void failures.push(reason),
  };
  const balancer = new TwoChoiceBalancer({ clock, random: new SeededRandom(1), limits });
  const engine = new Http1Engine({ balancer, clock, limits, observer, connect: connectUpstream });
  const router: Router = { route: (request) => plan(request, forwardPlan(request, upstream.address)) };
  const { deadlines } = engine;
  const listeners = new Listeners({
    http1: engine,
    deadlines,
    limits,
    observer,
    connect: connectTcp,
    host: "127.0.0.1",
  });
  const { port } = await listeners.open({ port: 0, router, baseline: () => upstream.address });
  const clients: Wire[] = [];
  const open = async (): Promise<Wire> => {
    const wire = await connected(connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true }));
    clients.push(wire);
    return wire;
  };
  return {
    clock,
    engine,
    listeners,
    upstream,
    failures,
    ends,
    port,
    connect: open,
    exchange: async (request) => {
      const client = await open();
      client.send(request);
      const server = await upstream.next();
      return { client, upstream: server, head: await server.until("\r\n\r\n") };
    },
    [Symbol.asyncDispose]: async () => {
      for (const { socket } of clients) socket.destroy();
      listeners.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** Returns the plan that forwards a request with the usual changes of its headers. */
export function forwardPlan(request: IncomingRequest, address: string): ForwardPlan {
  return {
    type: "forward",
    destination: { namespace: "shop", service: "cart", kind: "baseline", sandbox: "", workload: "" },
    workload: "shop/cart",
    targets: [address],
    upstreamProtocol: "http1",
    path: request.path,
    edits: {
      remove: request.isUpgrade ? ["keep-alive"] : ["connection", "keep-alive", "upgrade", "transfer-encoding"],
      set: request.isUpgrade ? [["connection", "upgrade"]] : [["via", "1.1 sandbox-proxy"]],
    },
    responseHeaders: [["x-sandbox-route", "baseline; reason=no-entry"]],
    delayMs: 0,
  };
}
