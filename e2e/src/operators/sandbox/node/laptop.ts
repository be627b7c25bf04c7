// The machine of a developer: a process that sandboxctl starts in a network of its own, and that takes the place of a service through the tunnel server.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { repository } from "../../../harness/repository.ts";
import { apiServerOf, LaptopNetwork } from "./laptop-network.ts";

/** The only port of the process. Loopback addresses of a laptop are its own. */
const port = 8080;
const linesMax = 500;
const serverFile = "laptop-server.js";

/** A line that sandboxctl has printed. */
interface PrintedLine {
  readonly at: number;
  readonly text: string;
}

/** Options of {@link startLaptop}. */
export interface LaptopOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Number of the laptop, from 0. */
  readonly number: number;
  readonly service: string;
  /** Address and port of the tunnel server; undefined if the laptop reaches it only through the API server. */
  readonly tunnel?: string;
  /** Sandbox that the laptop uses; undefined to create one with its own name. */
  readonly sandbox?: string;
}

/** `sandboxctl local run` with a process that responds with the name of the laptop. */
export class Laptop implements AsyncDisposable {
  /** Name of the machine, and of its sandbox. */
  readonly name: string;
  readonly network: LaptopNetwork;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #lines: PrintedLine[] = [];

  constructor(name: string, network: LaptopNetwork, child: ChildProcess, folder: string) {
    this.name = name;
    this.network = network;
    this.#child = child;
    this.#folder = folder;
    for (const stream of [child.stdout, child.stderr]) {
      let rest = "";
      stream?.on("data", (chunk: Buffer) => {
        const lines = (rest + chunk.toString()).split("\n");
        rest = lines.pop() ?? "";
        this.#lines.push(...lines.map((text) => ({ at: Date.now(), text })));
        this.#lines.splice(0, this.#lines.length - linesMax);
      });
    }
  }

  /** The end of what the command has printed. */
  get output(): string {
    return this.#lines.map(({ at, text }) => `${new Date(at).toISOString()} ${text}`).join("\n");
  }

  /** Returns the time of the first line since a time that contains a text; undefined if there is none. Throws if the command has ended. */
  printed(text: string, since: number): number | undefined {
    this.failIfEnded();
    return this.#lines.find((line) => line.at >= since && line.text.includes(text))?.at;
  }

  /** Throws if the command has ended. */
  failIfEnded(): undefined {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`sandboxctl of ${this.name} has ended with ${exitCode ?? signalCode}: ${this.output}`);
    return undefined;
  }

  /** Waits until the command has ended. Returns its exit code. */
  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
    return this.#child.exitCode;
  }

  /** Stops (`SIGSTOP`) or continues (`SIGCONT`) sandboxctl, as if the machine slept. */
  signalClient(signal: "SIGSTOP" | "SIGCONT"): void {
    this.failIfEnded();
    this.#child.kill(signal);
  }

  /** Stops (`SIGSTOP`) or continues (`SIGCONT`) the process that serves requests, as a debugger does. */
  signalProcess(signal: "SIGSTOP" | "SIGCONT"): void {
    this.failIfEnded();
    const { pid = 0 } = this.#child;
    // Another child of sandboxctl is the shell that ends the process if sandboxctl is killed.
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    const found = children.find((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes(serverFile));
    if (found === undefined) throw new Error(`sandboxctl of ${this.name} has the processes ${children.join(", ")}`);
    process.kill(Number(found), signal);
  }

  /** Stops the command as an interrupt does, which removes the LocalWorkload. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.signalClient("SIGCONT");
      this.#child.kill("SIGTERM");
      await this.ended();
    }
    await this.network[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Starts a process on a laptop in place of a service. */
export async function startLaptop(options: LaptopOptions): Promise<Laptop> {
  const { kubeconfig, namespace, number, service, sandbox, tunnel } = options;
  const name = `laptop-${number}`;
  const folder = await mkdtemp(join(tmpdir(), "laptop-"));
  if (tunnel !== undefined) {
    const settings = join(folder, ".config/sandboxctl");
    await mkdir(settings, { recursive: true });
    await writeFile(join(settings, "config.json"), JSON.stringify({ tunnel }));
  }
  const [tunnelServer] = tunnel?.split(":") ?? [];
  const network = await LaptopNetwork.create({ number, host: name, apiServer: apiServerOf(kubeconfig), tunnelServer });
  const sandboxctl = join(repository, "apps/sandboxctl/bin/sandboxctl.js");
  const target = sandbox === undefined ? ["--sandbox", name, "--create"] : ["--sandbox", sandbox];
  const flags = ["-n", namespace, ...target, "--service", service, "--port", `${port}:8080`];
  const command = [process.execPath, fileURLToPath(new URL(serverFile, import.meta.url))];
  const [program, words] = network.enter([process.execPath, sandboxctl, "local", "run", ...flags, "--", ...command]);
  const child = spawn(program, words, {
    env: { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: kubeconfig, LAPTOP: name, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return new Laptop(name, network, child, folder);
}
