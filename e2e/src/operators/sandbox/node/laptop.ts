// The machine of a developer: a process that sandboxctl starts, and that takes the place of a service through the API server and the tunnel server.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "@homeostat/operator-testing";
import { repository } from "../../../harness/repository.ts";

const outputMax = 20_000;

/** `sandboxctl local run` with a process that responds with the word laptop. */
class Laptop implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  #output = "";

  constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (this.#output = (this.#output + chunk.toString()).slice(-outputMax)));
  }

  /** The end of what the command has printed. */
  get output(): string {
    return this.#output;
  }

  /** Throws if the command has ended. */
  failIfEnded(): undefined {
    if (this.#child.exitCode !== null)
      throw new Error(`sandboxctl has ended with ${this.#child.exitCode}: ${this.#output}`);
    return undefined;
  }

  /** Stops the command as an interrupt does, which removes the LocalWorkload. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, "exit");
      this.#child.kill("SIGTERM");
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Starts a process in place of a service of a namespace, in a new sandbox with the name `laptop`. */
export async function startLaptop(kubeconfig: string, namespace: string, service: string): Promise<Laptop> {
  const folder = await mkdtemp(join(tmpdir(), "laptop-"));
  const [port = 0] = await freePorts(1);
  const server = fileURLToPath(new URL("laptop-server.js", import.meta.url));
  const words = ["local", "run", "-n", namespace, "--sandbox", "laptop", "--create", "--service", service];
  const child = spawn(
    process.execPath,
    [
      join(repository, "apps/sandboxctl/bin/sandboxctl.js"),
      ...words,
      "--port",
      `${port}:8080`,
      "--",
      process.execPath,
      server,
    ],
    {
      env: { PATH: process.env["PATH"], HOME: folder, KUBECONFIG: kubeconfig, PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  return new Laptop(child, folder);
}
