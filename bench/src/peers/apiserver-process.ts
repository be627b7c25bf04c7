import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { usageOf } from "./proc.ts";
import type { RawApi } from "./raw-api.ts";
import { until } from "./time.ts";

/** The variable by which the tool that starts a cluster knows its processes again, ours included. */
const marker = "HOMEOSTAT_KUBE_CLUSTER";

/** The kube-apiserver of a cluster, as a process that can be killed and started again with the very same arguments. */
export class Apiserver {
  readonly #folder: string;
  readonly #api: RawApi;
  readonly #signal: AbortSignal;
  readonly #command: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  #pid: number;

  constructor(clusterFolder: string, api: RawApi, signal: AbortSignal) {
    this.#folder = clusterFolder;
    this.#api = api;
    this.#signal = signal;
    const mark = `${marker}=${clusterFolder}`;
    const found = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && zeroTerminated(`/proc/${name}/environ`).includes(mark))
      .find((pid) => basename(zeroTerminated(`/proc/${pid}/cmdline`)[0] ?? "") === "kube-apiserver");
    if (found === undefined) throw new Error(`no kube-apiserver runs for ${clusterFolder}`);
    this.#pid = Number(found);
    this.#command = zeroTerminated(`/proc/${found}/cmdline`);
    this.#env = Object.fromEntries(
      zeroTerminated(`/proc/${found}/environ`).map((pair) => [
        pair.slice(0, pair.indexOf("=")),
        pair.slice(pair.indexOf("=") + 1),
      ]),
    );
  }

  /** The CPU time it has used since it was last started. */
  get cpuSeconds(): number {
    return usageOf(this.#pid).cpuSeconds;
  }

  /** Kills it, as if the power had failed. */
  async kill(): Promise<void> {
    await end(this.#pid, this.#signal);
  }

  /** Starts it again, and resolves when it says that it is ready. */
  async start(): Promise<void> {
    const again = (): void => {
      this.#pid = this.#spawn(this.#command, "kube-apiserver-again");
    };
    again();
    const isReady = async (): Promise<boolean> => {
      // The port may be in use for another moment.
      if (!isRunning(this.#pid)) again();
      return this.#api.isOk("/readyz");
    };
    await until(isReady, { everyMs: 20, timeoutMs: 90_000, signal: this.#signal, what: "a start of kube-apiserver" });
  }

  /** Starts it again if it does not run, as after a measurement that failed half-way. */
  async ensure(): Promise<void> {
    if (!isRunning(this.#pid) || !(await this.#api.isOk("/readyz"))) await this.start();
  }

  /**
   * Has another kube-apiserver on another port for a while, over the same data, which no contestant knows of.
   *
   * What is changed there is news for the watch cache of the next one, but nothing that a watch could be resumed over.
   */
  async meanwhile(change: (api: RawApi) => Promise<void>): Promise<void> {
    const port = await freePort();
    const command = this.#command.map((flag) => (flag.startsWith("--secure-port=") ? `--secure-port=${port}` : flag));
    const pid = this.#spawn(command, "kube-apiserver-meanwhile");
    using api = this.#api.atPort(port);
    try {
      await until(async () => api.isOk("/readyz"), {
        everyMs: 50,
        timeoutMs: 90_000,
        signal: this.#signal,
        what: "the start of a second kube-apiserver",
      });
      await change(api);
    } finally {
      await end(pid, this.#signal);
    }
  }

  #spawn([command = "", ...args]: readonly string[], log: string): number {
    const file = openSync(join(this.#folder, "log", `${log}.log`), "a", 0o600);
    try {
      // It carries the cluster's mark, so whatever stops the cluster stops it too.
      const child = spawn(command, args, {
        cwd: this.#folder,
        env: { ...this.#env },
        detached: true,
        stdio: ["ignore", file, file],
      });
      child.on("error", () => undefined);
      child.unref();
      if (child.pid === undefined) throw new Error(`${command} could not be started`);
      return child.pid;
    } finally {
      closeSync(file);
    }
  }
}

async function end(pid: number, signal: AbortSignal): Promise<void> {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
  await until(() => !isRunning(pid), { everyMs: 5, timeoutMs: 30_000, signal, what: "the end of kube-apiserver" });
}

/** Whether there is anything left of it: one of its threads can hold the port after the first of them has ended. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function zeroTerminated(path: string): string[] {
  try {
    return readFileSync(path, "utf8")
      .split("\0")
      .filter((part) => part !== "");
  } catch {
    return [];
  }
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
