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
import { makeAuthority, issue } from "@homeostat/x509";
import { freePorts, untilOpen } from "../harness/ports.ts";
import { threadSeconds, usageOf } from "../peers/proc.ts";

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

/** A server of this project without tunnels. */
export interface OwnServer {
  readonly entry: number;
  /** Port for tunnels. */
  readonly port: number;
  readonly process: ChildProcess;
}

/** Options of {@link Subjects.startMachines}. */
export interface MachinesOptions {
  readonly node: string;
  readonly port: number;
  readonly tunnels: number;
}

/** A process with attached tunnels. */
export interface Machines {
  readonly process: ChildProcess;
  /** Time of the first connection, in milliseconds since 1970. */
  readonly connectedAt: number;
}

const script = (name: string): string => fileURLToPath(new URL(`${name}.js`, import.meta.url));

/** Starts the processes of a benchmark, and ends them with it. */
export class Subjects implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "tunnel-bench-"));
  readonly #started: ChildProcess[] = [];
  readonly #cert: string;
  readonly #key: string;
  #target = 0;

  constructor() {
    const dates = { validFrom: new Date(Date.now() - 60_000), validUntil: new Date(Date.now() + 86_400_000) };
    const authority = makeAuthority({ subject: { commonName: "bench" }, ...dates });
    const pair = issue(authority, { subject: { commonName: "bench" }, hosts: ["127.0.0.1"], ...dates });
    this.#cert = join(this.#folder, "tls.crt");
    this.#key = join(this.#folder, "tls.key");
    writeFileSync(this.#cert, pair.cert + authority.cert);
    writeFileSync(this.#key, pair.key, { mode: 0o600 });
  }

  /** Starts the server behind all tunnels. */
  async startTarget(): Promise<void> {
    const [port = 0] = await freePorts(1);
    this.#target = port;
    const child = this.#spawn(process.execPath, [script("target-process"), String(port)]);
    await untilOpen("the target", port, child);
  }

  /** Starts the tunnel of this project. */
  async startOwn({ name, delayMs, node }: TunnelOptions & { readonly node: string }): Promise<Tunnel> {
    const { entry, port, process: server } = await this.startOwnServer(node);
    const machines = await this.startMachines({ node, port: await this.#near(port, delayMs), tunnels: 1 });
    await untilOpen(name, entry, server);
    return { name, entry, server, client: machines.process };
  }

  /** Starts a server without tunnels. */
  async startOwnServer(node: string): Promise<OwnServer> {
    const [entry = 0, port = 0] = await freePorts(2);
    const args = [script("tunnel-process"), "server", String(port), String(entry), this.#cert, this.#key];
    const child = this.#spawn(node, args);
    await untilListening(child);
    return { entry, port, process: child };
  }

  /** Starts a process that attaches tunnels to a server, and waits until all are attached. */
  async startMachines({ node, port, tunnels }: MachinesOptions): Promise<Machines> {
    const args = [script("tunnel-process"), "client", String(port), String(this.#target), this.#cert, String(tunnels)];
    const child = this.#spawn(node, args);
    let connectedAt = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line === "attached") return { process: child, connectedAt };
      connectedAt = Number(line);
    }
    throw new Error("a client ended before its tunnels were attached");
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
    for (const child of this.#started) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = once(child, "exit");
      child.stdin?.end();
      const isGone = await Promise.race([exit.then(() => true), setTimeout(2_000, false)]);
      if (isGone) continue;
      child.kill("SIGKILL");
      await exit;
    }
    rmSync(this.#folder, { recursive: true, force: true });
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
    return (await buildGoPeer({ source, name: "bench-tunnel" })).path;
  }

  /** Starts a program that exits when its standard input ends, so that it cannot outlive this process. */
  #spawn(path: string, args: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
    const child = spawn(path, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#started.push(child);
    return child;
  }
}

/** Waits for the first line of a program. To connect to its port instead would be the connection that a server or a delay line expects. */
async function untilListening(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit").then(([code]) => {
    throw new Error(`a program ended with code ${String(code)}`);
  });
  exit.catch(() => undefined);
  await Promise.race([once(child.stdout ?? child, "data"), exit]);
}

function local(port: number): string {
  return `127.0.0.1:${port}`;
}

/** Returns the CPU time of both ends in seconds. */
export function cpuSeconds({ server, client }: Tunnel): number {
  return threadSeconds(server.pid ?? 0) + threadSeconds(client.pid ?? 0);
}

/** Returns the resident memory of a process in MiB. */
export function rssMib({ pid = 0 }: ChildProcess): number {
  return usageOf(pid).rssBytes / 1_048_576;
}
