// A tunnel server on the loopback interface for tests of local commands. It accepts every machine, and answers streams into the cluster itself.

import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import type { Client } from "@homeostat/client";
import { systemClock as clock } from "@homeostat/core";
import { ConfigMap, Secret } from "@homeostat/kubernetes/core/v1";
import { freePorts } from "@homeostat/operator-testing";
import { configMapName, systemNamespace, tunnelSecret } from "@homeostat/sandbox-operator";
import {
  acceptStream,
  type AcceptedTunnel,
  acceptTunnel,
  type ByeReason,
  CarrierServer,
  openStream,
  type RefuseReason,
  type SplicedStream,
  spliceSocket,
} from "@homeostat/tunnel";
import type { TestShop } from "./shop.ts";

/** The server. */
export class TestTunnelServer implements AsyncDisposable {
  /** Ports that are free for a local process and a map. */
  readonly appPort: number;
  readonly mapPort: number;
  address = "";
  /** Reason why machines are refused; undefined to accept them. */
  verdict: RefuseReason | undefined;
  /** Routing key that machines receive. */
  routingKey = "key-of-pr";
  readonly attached: { readonly resume: string; readonly host: string }[] = [];
  readonly outbound: { readonly destination: string; head: string }[] = [];
  readonly reports: string[] = [];
  readonly ends: string[] = [];
  /** Service whose requests with the routing key are led back to the machine, as a routing proxy does; undefined for none. */
  routedService: string | undefined;
  /** Ports of this machine that stand for Services, by destination. */
  readonly servicePorts: Map<string, number> = new Map();
  readonly #server: CarrierServer;
  readonly #tunnels = new Set<AcceptedTunnel>();

  private constructor(ports: readonly number[], certificate: { readonly cert: string; readonly key: string }) {
    [this.appPort = 0, this.mapPort = 0] = ports;
    this.#server = new CarrierServer({
      certificate,
      randomBytes,
      onCarrier: ({ carrier, certificateSha256 }) => void this.#accept({ carrier, certificateSha256 }),
    });
  }

  /** Starts a server with the certificate that the operator has issued, and publishes its address in the configuration of the operator. */
  static async open(shop: TestShop): Promise<TestTunnelServer> {
    const { admin } = shop;
    const certificate = await shop.until(async () => {
      const secret = await admin.get(Secret, { namespace: systemNamespace, name: tunnelSecret });
      const text = (key: string): string => Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
      return secret === undefined ? undefined : { cert: `${text("tls.crt")}${text("ca.crt")}`, key: text("tls.key") };
    });
    const server = new TestTunnelServer(await freePorts(2), certificate);
    server.address = `127.0.0.1:${await server.#server.listen({ host: "127.0.0.1", port: 0 })}`;
    await server.publish(admin, server.url);
    return server;
  }

  get url(): string {
    return `wss://${this.address}`;
  }

  /** Writes the address of the tunnel server into the configuration of the operator; empty for one without an address outside of the cluster. */
  async publish(admin: Client, url: string): Promise<void> {
    await admin.apply(
      ConfigMap,
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: configMapName, namespace: systemNamespace },
        data: { "config.yaml": `tunnel: { url: "${url}" }\n` },
      },
      { fieldManager: "tests", force: true },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dropAll();
    this.#server.close();
  }

  /** Closes all connections without a message, as a network that fails. */
  dropAll(): void {
    for (const { session } of this.#tunnels) session.close();
  }

  /** Ends all tunnels with a reason. */
  closeAll(reason: ByeReason): void {
    for (const tunnel of this.#tunnels) tunnel.close({ reason, retry: false });
  }

  /** Sends a request to a port of the machine through its tunnel, as a proxy of the cluster does. Resolves with the response. */
  async request(port: string, text: string): Promise<string> {
    const [tunnel] = [...this.#tunnels].slice(-1);
    if (tunnel === undefined) throw new Error("No machine is attached");
    const chunks: Buffer[] = [];
    await new Promise<void>((resolve) => {
      const stream = openStream(
        tunnel.session,
        { t: "in", port, protocol: "http", src: "10.0.0.1:1" },
        { clock, onAnswer: (failure) => (failure === undefined ? undefined : resolve()) },
      );
      stream.handle({
        data: (chunk) => {
          chunks.push(Buffer.from(chunk));
          stream.consumed(chunk.length);
        },
        ended: () => stream.end(),
        drained: () => undefined,
        closed: () => resolve(),
      });
      stream.write(Buffer.from(text));
    });
    return Buffer.concat(chunks).toString();
  }

  /** Sends a request to a port of this machine. */
  async get(port: number): Promise<string> {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.write("GET /map HTTP/1.1\r\nHost: x\r\n\r\n");
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    return text;
  }

  async #respond(
    { destination, head }: { readonly destination: string; readonly head: string },
    stream: Pick<SplicedStream, "write" | "end">,
  ): Promise<void> {
    const isRouted = destination === this.routedService && head.includes("x-routing-key: ");
    const response = isRouted
      ? await this.request("http", head)
      : "HTTP/1.1 200 OK\r\nContent-Length: 14\r\nConnection: close\r\n\r\ncluster answer";
    stream.write(Buffer.from(response));
    stream.end();
  }

  async #accept({
    carrier,
    certificateSha256,
  }: {
    carrier: Parameters<typeof acceptTunnel>[0]["carrier"];
    certificateSha256: string;
  }): Promise<void> {
    const { verdict, routingKey } = this;
    const tunnel = await acceptTunnel({
      carrier,
      clock,
      certificateSha256,
      nonce: () => randomBytes(32).toString("base64url"),
      authorize: (hello) => {
        if (verdict !== undefined) return Promise.resolve({ isAllowed: false, reason: verdict, isRetryable: false });
        this.attached.push({ resume: hello.resume, host: hello.host });
        return Promise.resolve({ isAllowed: true, tunnelId: "t-1", epoch: 1, routingKey, isActive: true });
      },
      onStream: (stream) =>
        acceptStream(stream, {
          clock,
          expected: "out",
          onOffer: (offer) => {
            const record = { destination: offer.header.dst, head: "" };
            this.outbound.push(record);
            const port = this.servicePorts.get(offer.header.dst);
            if (port !== undefined) {
              const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
              socket.once("connect", () => spliceSocket(offer.connect(), socket));
              return;
            }
            const connected = offer.connect();
            connected.handle({
              data: (chunk) => {
                record.head += chunk.toString();
                connected.consumed(chunk.length);
                if (!record.head.includes("\r\n\r\n")) return;
                void this.#respond(record, connected);
              },
              ended: () => undefined,
              drained: () => undefined,
              closed: () => undefined,
            });
          },
        }),
      onPort: (name, state) => void this.reports.push(`${name} ${state}`),
      onEnd: (_end, bye) => {
        this.ends.push(bye?.reason ?? "Lost");
        for (const each of this.#tunnels) if (each.session.isEnded) this.#tunnels.delete(each);
      },
    });
    if (tunnel !== undefined) this.#tunnels.add(tunnel);
  }
}
