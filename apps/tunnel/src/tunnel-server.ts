// One replica of the tunnel server.
//
//   connection ──▶ handshake ──▶ mayAttach, rights ──▶ status of the LocalWorkload ──▶ Attachment ──▶ listening ports
//                                                           │ (the lock)                   │
//                       changes of the object ──────────────┴──▶ checked again ───────────▶│ closed, or active
import { connect, type Socket } from "node:net";
import type { Client } from "@homeostat/client";
import type { Clock, Random } from "@homeostat/core";
import type { Cache, Logger, Registry } from "@homeostat/runtime";
import { localPortOf, type OperatorConfig } from "@homeostat/sandbox-operator";
import {
  type AcceptedCarrier,
  acceptStream,
  acceptTunnel,
  CarrierServer,
  FailureLimit,
  type Hello,
  machineId,
  type MuxLimits,
  type MuxStream,
  type RandomBytes,
  type SessionEnd,
} from "@homeostat/tunnel";
import { readCertificate } from "@homeostat/x509";
import { Attachment } from "./attach/attachment.ts";
import { Attachments } from "./attach/attachments.ts";
import { forwardInbound } from "./listen/inbound.ts";
import { Listeners, type ListenTarget } from "./listen/listeners.ts";
import { TunnelMetrics } from "./metrics/tunnel-metrics.ts";
import { ClusterState } from "./observe/cluster-state.ts";
import { type ConnectToPod, forwardOutbound } from "./outbound/outbound.ts";

/** Options of {@link TunnelServer}. */
export interface TunnelServerOptions {
  readonly cache: Cache;
  readonly client: Pick<Client, "get" | "patch" | "reviewAccess">;
  readonly clock: Clock;
  /** The clock of the API server, for times in objects. */
  readonly serverClock: Clock;
  readonly random: Random;
  /** Unpredictable bytes, for nonces and masks. */
  readonly randomBytes: RandomBytes;
  readonly log: Logger;
  readonly registry: Registry;
  /** Name of the pod, and its IP address, under which the cluster reaches its listening ports. */
  readonly replica: string;
  readonly address: string;
  /** Namespace of this program, whose Services are not for machines. */
  readonly namespace: string;
  /** Opens connections of machines to pods. Default: TCP. */
  readonly connectToPod?: ConnectToPod | undefined;
  /** Address to listen on; undefined for all. */
  readonly host?: string | undefined;
  /** Port for clients; 0 chooses a free one. */
  readonly port: number;
  /** Configuration as it is now. */
  readonly config: () => OperatorConfig["tunnel"];
  /** Time for open streams after the replica was asked to stop. */
  readonly drainMs: number;
}

/** Certificate chain with the authority, and private key, in PEM. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Interval of the checks that no event triggers. */
const tickMs = 1_000;
/** Time after which a replica without contact to the API server is not ready. A restart of the API server takes less. */
const contactMs = 10_000;

/** Accepts tunnels of machines, and connects them with the cluster. */
export class TunnelServer {
  readonly metrics: TunnelMetrics = new TunnelMetrics();
  readonly #options: TunnelServerOptions;
  readonly #state: ClusterState;
  readonly #attachments: Attachments;
  readonly #listeners: Listeners;
  readonly #failures: FailureLimit;
  readonly #turns = new Map<string, number>();
  #server: CarrierServer | undefined;
  #expiresAt: number | undefined;
  #isReady = false;
  /** Time since which the API server does not respond. */
  #contactLostAt: number | undefined;

  constructor(options: TunnelServerOptions) {
    this.#options = options;
    const { cache, clock, log, registry, host, namespace } = options;
    this.#state = new ClusterState(cache, { ownNamespace: namespace });
    this.#attachments = new Attachments({
      ...options,
      state: this.#state,
      metrics: this.metrics,
      onChange: () => this.#listen(),
    });
    this.#failures = new FailureLimit({
      clock,
      get failuresMax() {
        return options.config().failuresPerMinuteMax;
      },
      windowMs: 60_000,
      sourcesMax: 10_000,
    });
    this.#listeners = new Listeners({
      host,
      log,
      connectionsMax: 2_000,
      onConnection: (socket, target) => this.#inbound(socket, target),
    });
    this.metrics.register(registry, { counts: () => this.#counts(), certificateExpiry: () => this.#expiresAt });
  }

  /**
   * Reports whether this replica attaches further machines. Without the API server it cannot review their rights or write the status: clients are then to
   * connect to another replica. Attached machines stay attached.
   */
  get isReady(): boolean {
    const isLost =
      this.#contactLostAt !== undefined && this.#options.clock.monotonic() - this.#contactLostAt >= contactMs;
    return this.#isReady && !isLost && !this.#attachments.isDraining;
  }

  /** Machines that are attached to this replica. */
  get size(): number {
    return this.#attachments.size;
  }

  /** Uses another certificate for new connections. */
  renew(certificate: ServerCertificate): void {
    this.#expiresAt = readCertificate(certificate.cert).validUntil.getTime();
    this.#server?.renew(certificate);
  }

  /** Serves until the signal aborts; then asks clients to move, and ends when they have, or after the time for draining. */
  async run(
    signal: AbortSignal,
    {
      certificate,
      onListening,
    }: { readonly certificate: ServerCertificate; readonly onListening?: (port: number) => void },
  ): Promise<void> {
    const { clock, log, randomBytes, host, port } = this.#options;
    using state = this.#state;
    try {
      await state.start(signal, {
        onWorkload: (key) => this.#attachments.changed(key),
        onPolicies: (namespace) => this.#attachments.policiesChanged(namespace),
      });
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#server = new CarrierServer({
      certificate,
      randomBytes,
      admits: (address) => !this.#failures.isBlocked(address),
      onCarrier: (carrier) => void this.#accept(carrier).catch((error) => log.error("Handshake failed", { error })),
    });
    this.renew(certificate);
    const bound = await this.#server.listen({ port, ...(host === undefined ? {} : { host }) });
    this.#isReady = true;
    log.info("Serving tunnels", { port: bound });
    onListening?.(bound);
    while (!signal.aborted) {
      this.#attachments.tick();
      this.#contactLostAt = state.isFollowing ? undefined : (this.#contactLostAt ?? clock.monotonic());
      await clock.sleep(tickMs, signal).catch(() => undefined);
    }
    await this.#drain();
    this.#listeners.close();
    this.#server.close();
    await this.#attachments.written();
  }

  async #accept({ carrier, certificateSha256, remoteAddress, transport }: AcceptedCarrier): Promise<void> {
    const { clock, randomBytes, log } = this.#options;
    const found: { attachment?: Attachment } = {};
    const audit = (hello: Hello) => ({
      localWorkload: hello.workload,
      machine: machineId(hello.key),
      address: remoteAddress,
      transport,
    });
    const tunnel = await acceptTunnel({
      carrier,
      clock,
      limits: limitsOf(this.#options.config()),
      certificateSha256,
      nonce: () => randomBytes(32).toString("base64url"),
      authorize: async (hello) => {
        const result = await this.#attachments.authorize(hello);
        if (result instanceof Attachment) {
          found.attachment = result;
          const { tunnelId, epoch, isActive } = result;
          const routingKey = this.#state.workload(result.key)?.status?.routingKey ?? "";
          return { isAllowed: true, tunnelId, epoch, routingKey, isActive };
        }
        return result;
      },
      onRefused: (reason, hello) => {
        this.metrics.refused.inc({ reason });
        if (reason === "Denied" || reason === "Protocol") this.#failures.fail(remoteAddress);
        log.info("Refused machine", {
          reason,
          ...(hello === undefined ? { address: remoteAddress, transport } : audit(hello)),
        });
      },
      onStream: (stream) => this.#outbound(stream, found.attachment),
      onPort: (name, state) => {
        const { attachment } = found;
        if (attachment === undefined || attachment.ports.get(name) === state || attachment.ports.size > 64) return;
        attachment.ports.set(name, state);
        this.#attachments.report(attachment);
      },
      onEnd: (end, bye) => {
        const { attachment } = found;
        if (attachment !== undefined)
          this.#attachments.end(attachment, attachment.farewell?.reason ?? endReason(end, bye?.reason));
      },
    });
    const { attachment } = found;
    if (attachment === undefined) return;
    if (tunnel === undefined) return this.#attachments.end(attachment, "HeartbeatLost");
    attachment.tunnel = tunnel;
    if (attachment.farewell !== undefined) return this.#attachments.close(attachment, attachment.farewell);
    if (tunnel.hello.resume === attachment.tunnelId) this.metrics.reconnects.inc();
    log.info("Attached machine", {
      ...audit(tunnel.hello),
      host: attachment.host,
      tunnel: attachment.tunnelId,
      isActive: attachment.isActive,
    });
    this.#attachments.changed(attachment.key);
    if (this.#attachments.isDraining) tunnel.drain(this.#options.drainMs);
  }

  /** Listens on the ports of LocalWorkloads with an active machine at this replica. */
  #listen(): void {
    const desired = new Map<number, ListenTarget>();
    for (const { key, isActive, isLeaving, tunnel } of this.#attachments.all) {
      if (
        tunnel === undefined ||
        (isLeaving && !this.#attachments.isDraining) ||
        !(isActive || this.#attachments.isDraining)
      )
        continue;
      for (const { name, listenPort } of this.#state.workload(key)?.status?.ports ?? [])
        if (listenPort !== undefined) desired.set(listenPort, { workload: key, port: name });
    }
    this.#listeners.set(desired);
  }

  #inbound(socket: Socket, { workload: key, port: name }: ListenTarget): void {
    const candidates = [...this.#attachments.all].filter(
      ({ key: each, tunnel, isActive }) =>
        each === key && tunnel !== undefined && (isActive || this.#attachments.isDraining),
    );
    const turn = (this.#turns.get(key) ?? -1) + 1;
    this.#turns.set(key, turn);
    const attachment = candidates[turn % Math.max(1, candidates.length)];
    const port = this.#state.workload(key)?.spec.service.ports.find((each) => each.name === name);
    if (attachment?.tunnel === undefined || port === undefined) {
      socket.on("error", () => undefined);
      socket.resetAndDestroy();
      return;
    }
    attachment.streams += 1;
    forwardInbound({
      socket,
      session: attachment.tunnel.session,
      clock: this.#options.clock,
      port: { name, protocol: port.appProtocol ?? "", localHost: port.localHost, localPort: localPortOf(port) },
      machine: attachment.host,
      onEnd: ({ toMachine, fromMachine }) => this.#streamEnded(attachment, { in: toMachine, out: fromMachine }),
    });
  }

  #outbound(stream: MuxStream, attachment: Attachment | undefined): void {
    if (attachment === undefined || attachment.isLeaving) return stream.reset();
    const { clock, random, log, connectToPod = connectByTcp } = this.#options;
    const { key, machine } = attachment;
    acceptStream(stream, {
      clock,
      expected: "out",
      onOffer: (offer) => {
        attachment.streams += 1;
        forwardOutbound({
          offer,
          clock,
          world: this.#state.outbound(key),
          connect: connectToPod,
          choose: (max) => random.int(max),
          onRefused: ({ code, why }) => {
            this.metrics.outboundRefused.inc({ code });
            this.#streamEnded(attachment, { in: 0, out: 0 });
            log.info("Refused outbound connection", {
              localWorkload: key,
              machine,
              destination: offer.header.dst.slice(0, 256),
              code,
              why,
            });
          },
          onEnd: ({ toCluster, fromCluster }) => this.#streamEnded(attachment, { in: fromCluster, out: toCluster }),
        });
      },
    });
  }

  #streamEnded(attachment: Attachment, bytes: { readonly in: number; readonly out: number }): void {
    attachment.streams -= 1;
    this.metrics.bytes.inc({ direction: "in" }, bytes.in);
    this.metrics.bytes.inc({ direction: "out" }, bytes.out);
  }

  /** Asks clients to connect to another replica, and waits until their streams have ended. */
  async #drain(): Promise<void> {
    const { clock, drainMs, log } = this.#options;
    this.#attachments.isDraining = true;
    this.#server?.stopAccepting();
    if (this.#attachments.size > 0) log.info("Draining tunnels", { machines: this.#attachments.size });
    for (const { tunnel } of this.#attachments.all) tunnel?.drain(drainMs);
    const until = clock.monotonic() + drainMs;
    while (this.#attachments.size > 0 && clock.monotonic() < until) {
      for (const attachment of this.#attachments.all)
        if (attachment.isLeaving && attachment.streams === 0) this.#drained(attachment);
      if (this.#attachments.size > 0) await clock.sleep(Math.min(200, until - clock.monotonic()));
    }
    for (const attachment of this.#attachments.all) this.#drained(attachment);
  }

  #drained(attachment: Attachment): void {
    this.#attachments.close(attachment, { reason: "Drained", detail: "the replica stops", retry: true });
    // Without a tunnel, its handshake is not over.
    this.#attachments.end(attachment, "Drained");
  }

  #counts(): ReadonlyMap<string, { readonly connections: number; readonly streams: number }> {
    const counts = new Map<string, { connections: number; streams: number }>();
    for (const { key, streams } of this.#attachments.all) {
      const namespace = key.split("/", 1)[0] ?? "";
      const count = counts.get(namespace) ?? { connections: 0, streams: 0 };
      counts.set(namespace, { connections: count.connections + 1, streams: count.streams + streams });
    }
    return counts;
  }
}

function connectByTcp(address: { readonly host: string; readonly port: number }): Socket {
  return connect({ ...address, allowHalfOpen: true, noDelay: true });
}

function limitsOf(config: OperatorConfig["tunnel"]): Partial<MuxLimits> {
  return {
    pingMs: config.pingIntervalSeconds * 1_000,
    windowBytesMax: config.windowBytesMax,
    unreadBytesMax: config.connectionBytesMax,
    streamsMax: config.streamsMax,
    unacceptedMax: config.acceptQueueMax,
  };
}

/** Returns the reason of an end that this replica did not ask for: what the client said, or a lost connection. */
function endReason(end: SessionEnd, bye: string | undefined): string {
  if (bye === "ClientLeft") return "ClientLeft";
  return end.reason === "protocol" ? "Refused" : "HeartbeatLost";
}
