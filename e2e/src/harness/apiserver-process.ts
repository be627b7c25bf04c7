// The API server's own process, to be killed and started again as it was. Linux only, as `/proc` is.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { cpuMsOfProcess } from "./cpu.ts";

/** The API server of a cluster that was started for this suite. */
export class ApiServerProcess {
  readonly #cluster: RealCluster;
  readonly #folder: string;
  readonly #pid: number;
  readonly #command: readonly string[];
  #child: ChildProcess | undefined;
  #killedMs = 0;

  constructor(cluster: RealCluster) {
    this.#cluster = cluster;
    this.#folder = dirname(cluster.kubeconfigPath);
    const record = JSON.parse(readFileSync(join(this.#folder, "cluster.json"), "utf8")) as ClusterRecord;
    const found = record.processes.find(({ component }) => component === "kube-apiserver");
    if (found === undefined) throw new Error("the cluster's record names no API server");
    this.#pid = found.pid;
    this.#command = readFileSync(`/proc/${found.pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    if (!this.#command[0]?.endsWith("kube-apiserver")) throw new Error(`process ${found.pid} is no API server`);
  }

  /** Ends it without a word to anybody. */
  kill(): void {
    this.#killedMs += cpuMsOfProcess(this.#pid);
    process.kill(this.#pid, "SIGKILL");
  }

  /** The time that it has had on the processors before it was killed and after it was started again. */
  get cpuMs(): number {
    return this.#killedMs + (this.#child?.pid === undefined ? 0 : cpuMsOfProcess(this.#child.pid));
  }

  /** Starts it again with the same flags, marked so that the cluster's end is its end too; waits until it is ready. */
  async start(): Promise<void> {
    const [program = "", ...flags] = this.#command;
    const { PATH, HOME, TMPDIR } = process.env;
    this.#child = spawn(program, flags, {
      cwd: this.#folder,
      detached: true,
      stdio: "ignore",
      env: { PATH, HOME, TMPDIR, HOMEOSTAT_KUBE_CLUSTER: this.#folder },
    });
    this.#child.unref();
    for (let tries = 0; tries < 600; tries += 1) {
      if (this.#child.exitCode !== null) throw new Error(`the API server ended with ${this.#child.exitCode}`);
      const answer = await this.#cluster.request({ path: "/readyz", timeoutMs: 2_000 }).catch(() => undefined);
      if (answer?.status === 200) return;
      await systemClock.sleep(100);
    }
    throw new Error("the API server was not ready after a minute");
  }
}

interface ClusterRecord {
  readonly processes: readonly { readonly component: string; readonly pid: number }[];
}
