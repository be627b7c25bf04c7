import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { freePorts } from "@homeostat/operator-testing";
import { usageOf } from "./proc.ts";
import type { RawApi } from "./raw-api.ts";
import { until } from "./time.ts";

/** Environment variable by which the tool that starts a cluster recognizes its processes, including those started here. */
const marker = "HOMEOSTAT_KUBE_CLUSTER";

/** The kube-apiserver of a cluster, which can be killed and restarted with the same arguments. */
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
    if (found === undefined) throw new Error(`no kube-apiserver is running for ${clusterFolder}`);
    this.#pid = Number(found);
    this.#command = zeroTerminated(`/proc/${found}/cmdline`);
    this.#env = Object.fromEntries(
      zeroTerminated(`/proc/${found}/environ`).map((pair) => [
        pair.slice(0, pair.indexOf("=")),
        pair.slice(pair.indexOf("=") + 1),
      ]),
    );
  }

  /** Returns the CPU time used since the last start. */
  get cpuSeconds(): number {
    return usageOf(this.#pid).cpuSeconds;
  }

  /** Kills it with SIGKILL, like a power failure. */
  async kill(): Promise<void> {
    await end(this.#pid, this.#signal);
  }

  /** Restarts it and resolves when it is ready. */
  async start(): Promise<void> {
    const again = (): void => {
      this.#pid = this.#spawn(this.#command, "kube-apiserver-again");
    };
    again();
    const isReady = async (): Promise<boolean> => {
      // The port may still be in use for a moment.
      if (!isRunning(this.#pid)) again();
      return this.#api.isOk("/readyz");
    };
    await until(isReady, { everyMs: 20, timeoutMs: 90_000, signal: this.#signal, what: "the start of kube-apiserver" });
  }

  /** Restarts it if it does not run, for example after a failed measurement. */
  async ensure(): Promise<void> {
    if (!isRunning(this.#pid) || !(await this.#api.isOk("/readyz"))) await this.start();
  }

  /**
   * Runs a second kube-apiserver on another port with the same data, unknown to the runtime.
   *
   * Changes made there are newer than the watches of the runtime but are not in the watch cache of the restarted server,
   * so those watches cannot be resumed.
   */
  async meanwhile(change: (api: RawApi) => Promise<void>): Promise<void> {
    const [port = 0] = await freePorts(1);
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
      // It has the marker of the cluster, so that it is stopped with the cluster.
      const child = spawn(command, args, {
        cwd: this.#folder,
        env: { ...this.#env },
        detached: true,
        stdio: ["ignore", file, file],
      });
      child.on("error", () => undefined);
      child.unref();
      if (child.pid === undefined) throw new Error(`cannot start ${command}`);
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
    // It has already exited.
  }
  await until(() => !isRunning(pid), { everyMs: 5, timeoutMs: 30_000, signal, what: "the exit of kube-apiserver" });
}

/** Reports whether any thread is left: a thread can hold the port after the main thread has exited. */
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
