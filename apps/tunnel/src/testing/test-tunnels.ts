// Tunnel servers on an embedded cluster, and machines that attach to them.

import { createHash, randomBytes, X509Certificate } from "node:crypto";
import { connect, createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { SeededRandom } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { ClusterRole, ClusterRoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { freePorts, startClusterWithClock, TestCluster } from "@homeostat/operator-testing";
import { Cache, clientSources, type LogLine, recordingLogger, Registry } from "@homeostat/runtime";
import {
  defaultConfig,
  LocalWorkload,
  type LocalWorkloadInput,
  type OperatorConfig,
} from "@homeostat/sandbox-operator";
import { kinds } from "@homeostat/sandbox-operator/internal";
import {
  acceptStream,
  type DialedTunnel,
  dialTunnel,
  type DialTunnelOptions,
  type MachineKey,
  spliceSocket,
  type TunnelEnd,
} from "@homeostat/tunnel";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";
import { TunnelServer } from "../tunnel-server.ts";
import { ApiLink } from "./api-link.ts";

const dates = { validFrom: new Date("2020-01-01"), validUntil: new Date("2090-01-01") };
const apiVersion = "sandbox.example.com/v1alpha1";
export const namespace = "shop";
/** The user who creates LocalWorkloads. */
export const user = "jane";

/** One replica. */
export interface RunningTunnels {
  readonly server: TunnelServer;
  readonly port: number;
  readonly registry: Registry;
  readonly lines: readonly LogLine[];
  /** Its watches of the API server. */
  readonly link: ApiLink;
  /** Asks the replica to stop, as SIGTERM does. */
  askToStop(): void;
  /** Ends the replica as SIGTERM does. Resolves when it has drained. */
  stop(): Promise<void>;
}

/** A LocalWorkload and the port on which replicas listen for it. */
export interface TestWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly listenPort: number;
}

/** A machine with a local process. */
export interface Machine {
  readonly tunnel: DialedTunnel;
  readonly ends: readonly TunnelEnd[];
  readonly drains: readonly number[];
  readonly roles: readonly boolean[];
}

/** An attempt to attach. */
export interface Attempt {
  settled: { readonly machine?: Machine; readonly error?: unknown } | undefined;
}

/** Options of an attempt; the local process is at `localPort`. */
export type AttachOptions = Pick<DialTunnelOptions, "key" | "workload"> &
  Partial<DialTunnelOptions> & { readonly localPort?: number };

export class TestTunnels extends TestCluster {
  readonly authority: KeyPair = makeAuthority({ subject: { commonName: "test" }, ...dates });
  readonly caSha256: string = createHash("sha256").update(new X509Certificate(this.authority.cert).raw).digest("hex");
  readonly certificate: KeyPair = this.issue();
  /** Configuration of all replicas. */
  config: OperatorConfig["tunnel"] = defaultConfig.tunnel;
  #seed = 7;
  readonly #servers: Server[] = [];
  /** Open connections of local processes and pods. */
  readonly #sockets = new Set<Socket>();

  static async start(): Promise<TestTunnels> {
    const cluster = new TestTunnels(await startClusterWithClock({ nodes: [{}] }), { stepMs: 250, turns: 12 });
    for (const kind of Object.values(kinds)) await cluster.client.create(CustomResourceDefinition, kind.crd());
    await cluster.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const name = "local-developers";
    const rules = [{ apiGroups: ["sandbox.example.com"], resources: ["localworkloads"], verbs: ["update"] }];
    await cluster.client.create(ClusterRole, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name },
      rules,
    });
    await cluster.grant();
    return cluster;
  }

  /** Returns a certificate of a tunnel server with its authority. */
  issue(): KeyPair {
    const leaf = issue(this.authority, {
      subject: { commonName: "sandbox-tunnel" },
      hosts: ["sandbox-tunnel"],
      usages: ["server"],
      ...dates,
    });
    return { cert: `${leaf.cert}${this.authority.cert}`, key: leaf.key };
  }

  /** Gives the user the right to change LocalWorkloads. */
  async grant(): Promise<void> {
    await this.client.create(ClusterRoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "local-developers" },
      subjects: [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "local-developers" },
    });
  }

  /** Takes the right away. */
  async revoke(): Promise<void> {
    await this.client.delete(ClusterRoleBinding, { name: "local-developers" });
  }

  /** Creates a LocalWorkload as the webhook and the operator would leave it. Resolves with its identity and listening port. */
  async workload(name: string, key: MachineKey, spec: Partial<LocalWorkloadInput["spec"]> = {}): Promise<TestWorkload> {
    const [listenPort = 0] = await freePorts(1);
    const created = await this.localWorkload(name, key, spec);
    const status = { routingKey: "k3v9q2m7x1c4d", ports: [{ name: "http", containerPort: 8080, listenPort }] };
    await this.client.patch(LocalWorkload, { namespace, name }, { merge: { status } }, { subresource: "status" });
    return { ...created, listenPort };
  }

  /** Creates a LocalWorkload as the webhook leaves it. */
  async localWorkload(
    name: string,
    key: MachineKey,
    spec: Partial<LocalWorkloadInput["spec"]> = {},
  ): Promise<Omit<TestWorkload, "listenPort">> {
    const ports = [{ name: "http", containerPort: 8080, localPort: 3000, appProtocol: "http" as const }];
    const { connection = {}, ...others } = spec;
    const object: LocalWorkloadInput = {
      apiVersion,
      kind: "LocalWorkload",
      metadata: {
        name,
        namespace,
        annotations: { "sandbox.example.com/created-by": JSON.stringify({ user, groups: [] }) },
      },
      spec: {
        sandboxRef: { name: "pr" },
        service: { name: "cart", ports },
        connection: { publicKeys: [key.publicKey], ...connection },
        ...others,
      },
    };
    const created = await this.client.create(LocalWorkload, LocalWorkload.default(object));
    return { namespace, name, uid: created.metadata.uid ?? "" };
  }

  /** Runs a replica. */
  async serve(replica: string): Promise<RunningTunnels> {
    const { clock, client } = this;
    this.#seed += 1;
    const random = new SeededRandom(this.#seed);
    const stopping = new AbortController();
    const caching = new AbortController();
    const link = new ApiLink(clientSources(client));
    const cache = new Cache({ sources: link.sources, clock, random });
    const running = cache.run(caching.signal);
    const registry = new Registry();
    const lines: LogLine[] = [];
    const server = new TunnelServer({
      cache,
      client,
      clock,
      serverClock: clock,
      random,
      randomBytes: (count) => randomBytes(count),
      log: recordingLogger(lines),
      registry,
      replica,
      address: "127.0.0.1",
      namespace: "sandbox-system",
      // Pods of the test have addresses that do not exist; all of them run on this machine.
      connectToPod: ({ port }) => connect({ port, host: "127.0.0.1", allowHalfOpen: true }),
      host: "127.0.0.1",
      port: 0,
      config: () => this.config,
      drainMs: 25_000,
    });
    let port = 0;
    let isOver = false;
    const serving = server
      .run(stopping.signal, { certificate: this.certificate, onListening: (bound) => (port = bound) })
      .finally(() => (isOver = true));
    await this.until("the server listens", async () => port !== 0);
    const stop = async (): Promise<void> => {
      stopping.abort();
      await this.until("the server has drained", async () => isOver);
      await serving;
      caching.abort();
      await running;
    };
    return { server, port, registry, lines, link, stop, askToStop: () => stopping.abort() };
  }

  /** Attaches a machine. Its local process is at `localPort`. */
  async attach(to: Pick<RunningTunnels, "port">, options: AttachOptions): Promise<Machine> {
    const attempt = this.dial(to, options);
    await this.until("the machine is attached or refused", async () => attempt.settled !== undefined);
    if (attempt.settled?.machine === undefined) throw attempt.settled?.error;
    return attempt.settled.machine;
  }

  /** Starts to attach a machine. */
  dial(to: Pick<RunningTunnels, "port">, options: AttachOptions): Attempt {
    const { clock } = this;
    const ends: TunnelEnd[] = [];
    const drains: number[] = [];
    const roles: boolean[] = [];
    const dialing = dialTunnel({
      clock,
      randomBytes: (count) => randomBytes(count),
      signal: new AbortController().signal,
      address: `127.0.0.1:${to.port}`,
      trust: { caSha256: this.caSha256 },
      transports: ["tls"],
      connect: () => Promise.resolve(connect({ port: to.port, host: "127.0.0.1" })),
      client: { version: "0.1.0", host: "laptop" },
      onStream: (stream) =>
        acceptStream(stream, {
          clock,
          expected: "in",
          onOffer: (offer) => {
            const socket = connect({ port: options.localPort ?? 1, host: "127.0.0.1", allowHalfOpen: true });
            const refused = (): void => offer.refuse("local_refused");
            socket.once("error", refused);
            socket.once("connect", () => {
              socket.off("error", refused);
              spliceSocket(offer.connect(), socket);
            });
          },
        }),
      onDrain: (graceMs) => drains.push(graceMs),
      onRole: (isActive) => roles.push(isActive),
      onEnd: (end) => ends.push(end),
      ...options,
    });
    const attempt: Attempt = { settled: undefined };
    void dialing.then(
      (tunnel) => (attempt.settled = { machine: { tunnel, ends, drains, roles } }),
      (error: unknown) => (attempt.settled = { error }),
    );
    return attempt;
  }

  /** Starts a server that answers every connection with a text after the first data. Resolves with its port. */
  async respond(text: string): Promise<number> {
    return this.listen((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(text));
    });
  }

  async listen(onSocket: (socket: Socket) => void): Promise<number> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      onSocket(socket);
    }).listen(0, "127.0.0.1");
    this.#servers.push(server);
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Starts a network between machines and a port, which can be cut: connections then stay open, and nothing passes. */
  async network(target: number): Promise<{ readonly port: number; cut(): void; close(): void }> {
    const pairs: [Socket, Socket][] = [];
    const port = await this.listen((near) => {
      const far = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true });
      for (const socket of [near, far]) socket.on("error", () => undefined);
      near.pipe(far);
      far.pipe(near);
      pairs.push([near, far]);
    });
    return {
      port,
      cut() {
        for (const pair of pairs) for (const socket of pair) socket.unpipe().pause();
      },
      close() {
        for (const pair of pairs) for (const socket of pair) socket.destroy();
      },
    };
  }

  /** Sends a request to a port of this machine and resolves with everything that comes back; empty if the connection is refused or reset. */
  async ask(port: number, request?: string): Promise<string> {
    const asked = this.send(port, request);
    await this.until("a response", async () => asked.isOver);
    return asked.text;
  }

  /** Sends a request to a port of this machine. */
  send(
    port: number,
    request = "GET / HTTP/1.1\r\nHost: cart\r\n\r\n",
  ): { readonly text: string; readonly isOver: boolean } {
    const asked = { text: "", isOver: false };
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("data", (chunk) => (asked.text += chunk.toString()));
    socket.on("error", () => undefined);
    socket.on("close", () => (asked.isOver = true));
    socket.write(request);
    return asked;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    await super[Symbol.asyncDispose]();
  }
}
