import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildGoPeer } from "@homeostat/kube";
import { freePorts } from "@homeostat/operator-testing";
import { programImage } from "@homeostat/operator-testing/image";
import { systemNamespace } from "@homeostat/sandbox-operator";
import { makeAuthority, issue } from "@homeostat/x509";
import { untilOpen } from "../harness/ports.ts";
import { within } from "../harness/within.ts";
import { threadSeconds, usageOf } from "../peers/proc.ts";
import { place, type TunnelCluster, type WorkloadIdentity } from "./tunnel-cluster.ts";

/** Both ends of a tunnel. */
export interface Tunnel {
  readonly name: string;
  /** Port on which the server accepts connections into the tunnel. */
  readonly entry: number;
  readonly server: ChildProcess;
  readonly client: ChildProcess;
}

/** Options of a tunnel. */
export interface TunnelOptions {
  readonly name: string;
  /** Time that every byte takes between the ends, in milliseconds. Default: none. */
  readonly delayMs?: number;
}

/** A tunnel server. */
export interface RunningServer {
  /** Port for clients. */
  readonly port: number;
  readonly process: ChildProcess;
}

/** A running `sandboxctl local connect`. */
export interface Sandboxctl {
  /** Throws if it has ended. */
  failIfEnded(): void;
  /** Interrupts it, and waits for its end. */
  stop(): Promise<void>;
}

/** A process with the machines of many developers. */
export interface Machines {
  readonly publicKey: string;
  /** Throws if the process has ended. */
  failIfEnded(): void;
  /** Attaches a machine to each LocalWorkload. Resolves when all are attached. */
  attach(workloads: readonly WorkloadIdentity[]): Promise<void>;
}

/** Options of programs that need a control plane. */
interface ClusterOptions {
  readonly node: string;
  readonly cluster: TunnelCluster;
}

const sandboxctl = fileURLToPath(new URL("../../../apps/sandboxctl/bin/sandboxctl.js", import.meta.url));
const image = programImage("apps/tunnel");
/** Time in which a program must start, or end. */
const startMs = 60_000;
/** Time in which all machines must be attached. */
const attachMs = 240_000;
/** Time in which Go must build the other tunnels. */
const buildMs = 1_200_000;
const script = (name: string): string => fileURLToPath(new URL(`${name}.js`, import.meta.url));

/** Starts the processes of a benchmark, and ends them with it. */
export class Subjects implements AsyncDisposable {
  /** Folder for files of the benchmark. */
  readonly folder: string = mkdtempSync(join(tmpdir(), "tunnel-bench-"));
  readonly #started: ChildProcess[] = [];
  readonly #cert: string;
  readonly #key: string;
  #target = 0;

  constructor() {
    const dates = { validFrom: new Date(Date.now() - 60_000), validUntil: new Date(Date.now() + 86_400_000) };
    const authority = makeAuthority({ subject: { commonName: "bench" }, ...dates });
    const pair = issue(authority, { subject: { commonName: "bench" }, hosts: ["127.0.0.1"], ...dates });
    this.#cert = join(this.folder, "bench.crt");
    this.#key = join(this.folder, "bench.key");
    writeFileSync(this.#cert, pair.cert + authority.cert);
    writeFileSync(this.#key, pair.key, { mode: 0o600 });
  }

  /** Port of the server behind all tunnels. */
  get target(): number {
    return this.#target;
  }

  /** Starts the server behind all tunnels. */
  async startTarget(): Promise<void> {
    const [port = 0] = await freePorts(1);
    this.#target = port;
    const child = this.#spawn(process.execPath, [script("target-process"), String(port)]);
    await untilOpen("the target", port, child);
  }

  /** Starts the tunnel of this project: both ends of packages/tunnel, without a control plane. */
  async startOwn({ name, delayMs, node }: TunnelOptions & { readonly node: string }): Promise<Tunnel> {
    const [entry = 0, port = 0] = await freePorts(2);
    const ends = [script("tunnel-process")];
    const args = [...ends, "server", String(port), String(entry), this.#cert, this.#key];
    const server = this.#spawn(node, args, image.env);
    await untilListening(server);
    const near = await this.#near(port, delayMs);
    const client = this.#spawn(node, [...ends, "client", String(near), String(this.#target), this.#cert]);
    await untilOpen(name, entry, server);
    return { name, entry, server, client };
  }

  /** Starts the tunnel server as its pods do: with the environment of its image and the flags of its Deployment. */
  async startTunnelServer({ node, cluster }: ClusterOptions): Promise<RunningServer> {
    const flags = {
      kubeconfig: cluster.kubeconfig,
      namespace: systemNamespace,
      "cert-dir": cluster.folder,
      "client-port": 0,
      replica: "bench",
      address: "127.0.0.1",
      "metrics-bind-address": 0,
      "health-probe-bind-address": 0,
      "log-level": "error",
    };
    const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const child = this.#spawn(node, ["--expose-gc", script("server-process"), ...words], image.env);
    const port = await within(startMs, "the start of the tunnel server", portOf(child));
    return { port, process: child };
  }

  /** Starts `sandboxctl local connect` for a LocalWorkload that exists. */
  startSandboxctl({ node, cluster, name }: ClusterOptions & { readonly name: string }): Sandboxctl {
    const words = ["local", "connect", "--sandbox", place.sandbox, "--service", "cart", "-n", place.namespace];
    const env = { ...process.env, HOME: this.folder, KUBECONFIG: cluster.kubeconfig };
    const child = spawn(node, [sandboxctl, ...words, "--name", name], { stdio: ["ignore", "ignore", "pipe"], env });
    this.#started.push(child);
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const failIfEnded = (): void => {
      if (child.exitCode !== null) throw new Error(`sandboxctl has ended with ${child.exitCode}: ${output}`);
    };
    const stop = async (): Promise<void> => {
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      await within(startMs, "the end of sandboxctl", exit);
    };
    return { failIfEnded, stop };
  }

  /** Starts a process for machines. */
  async startMachines({
    node,
    tunnelPort,
    caSha256,
  }: {
    readonly node: string;
    readonly tunnelPort: number;
    readonly caSha256: string;
  }): Promise<Machines> {
    const args = [script("machines-process"), String(tunnelPort), caSha256, String(this.#target)];
    const child = this.#spawn(node, args);
    const lines = linesOf(child);
    const next = async (limitMs: number, what: string): Promise<string> => {
      const { value, done } = await within(limitMs, what, lines.next());
      if (done === true) throw new Error("the machines ended before they were attached");
      return value;
    };
    const publicKey = await next(startMs, "the start of the machines");
    const attach = async (workloads: readonly WorkloadIdentity[]): Promise<void> => {
      child.stdin.write(`${JSON.stringify(workloads)}\n`);
      await next(attachMs, "the attachment of all machines");
    };
    const failIfEnded = (): void => {
      if (child.exitCode !== null) throw new Error(`the machines have ended with ${child.exitCode}`);
    };
    return { publicKey, attach, failIfEnded };
  }

  /** Starts Go's yamux over TLS. `windowBytes` replaces the default of 256 KiB. */
  async startYamux({
    name,
    delayMs,
    windowBytes = 0,
  }: TunnelOptions & { readonly windowBytes?: number }): Promise<Tunnel> {
    const [entry = 0, port = 0] = await freePorts(2);
    const program = await this.#goProgram();
    const common = ["--cert", this.#cert, "--window", String(windowBytes)];
    const server = this.#spawn(program, [
      "yamux-server", "--tunnel", local(port), "--entry", local(entry), "--key", this.#key, ...common,
    ]); // prettier-ignore
    await untilListening(server);
    const near = await this.#near(port, delayMs);
    const client = this.#spawn(program, [
      "yamux-client", "--tunnel", local(near), "--target", local(this.#target), ...common,
    ]); // prettier-ignore
    await untilOpen(name, entry, server);
    return { name, entry, server, client };
  }

  /** Starts chisel with a reverse tunnel. Its SSH connection is encrypted, so it runs without TLS. */
  async startChisel({ name, delayMs }: TunnelOptions): Promise<Tunnel> {
    const [entry = 0, port = 0] = await freePorts(2);
    const program = await this.#goProgram();
    const server = this.#spawn(program, ["chisel-server", "--tunnel", local(port)]);
    await untilOpen(name, port, server);
    const near = await this.#near(port, delayMs);
    const client = this.#spawn(program, [
      "chisel-client", "--tunnel", local(near), "--entry", local(entry), "--target", local(this.#target),
    ]); // prettier-ignore
    await untilOpen(name, entry, server);
    return { name, entry, server, client };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Clients before their servers, which would otherwise report that they have lost the connection.
    for (const child of this.#started.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = once(child, "exit");
      child.stdin?.end();
      const isGone = await Promise.race([exit.then(() => true), setTimeout(2_000, false)]);
      if (isGone) continue;
      child.kill("SIGKILL");
      await exit;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Returns the port to which the client connects: that of the server, or of a delay line before it. */
  async #near(port: number, delayMs = 0): Promise<number> {
    if (delayMs === 0) return port;
    const [near = 0] = await freePorts(1);
    const child = this.#spawn(process.execPath, [script("delay-process"), String(near), String(port), String(delayMs)]);
    await untilListening(child);
    return near;
  }

  async #goProgram(): Promise<string> {
    const source = fileURLToPath(new URL("../../peers/tunnel/", import.meta.url));
    const { path } = await within(
      buildMs,
      "the build of the other tunnels",
      buildGoPeer({ source, name: "bench-tunnel" }),
    );
    return path;
  }

  /** Starts a program that exits when its standard input ends, so that it cannot outlive this process. */
  #spawn(
    path: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): ChildProcessByStdio<Writable, Readable, null> {
    const child = spawn(path, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } });
    this.#started.push(child);
    return child;
  }
}

/** Returns the lines that a program prints. A loop that is left early does not end them. */
function linesOf({ stdout }: { readonly stdout: Readable }): AsyncIterator<string> & AsyncIterable<string> {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return { next: () => lines.next(), [Symbol.asyncIterator]: () => ({ next: () => lines.next() }) };
}

/** Returns the port for clients that a tunnel server prints. */
async function portOf(server: { readonly stdout: Readable }): Promise<number> {
  for await (const line of linesOf(server)) {
    const [, port] = /^port (\d+)$/.exec(line) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error("the tunnel server ended before it listened");
}

/** Waits for the first line of a program. To connect to its port instead would be the connection that a server or a delay line expects. */
async function untilListening(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit").then(([code]) => {
    throw new Error(`a program ended with code ${String(code)}`);
  });
  exit.catch(() => undefined);
  await within(startMs, "the start of a program", Promise.race([once(child.stdout ?? child, "data"), exit]));
}

function local(port: number): string {
  return `127.0.0.1:${port}`;
}

/** Returns the CPU time of both ends in seconds. */
export function cpuSeconds({ server, client }: Tunnel): number {
  return threadSeconds(server.pid ?? 0) + threadSeconds(client.pid ?? 0);
}

/** Returns the resident memory of a process in MiB, at present or at its peak. */
export function rssMib({ pid = 0 }: ChildProcess, when: "now" | "peak" = "now"): number {
  const { rssBytes, peakRssBytes } = usageOf(pid);
  return (when === "now" ? rssBytes : peakRssBytes) / 1_048_576;
}
