// The process of a kube-apiserver, to kill it and to start it again with the same flags. Needs Linux for `/proc`.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { cpuMsOfProcess } from "./cpu.ts";

/** The kube-apiserver of a cluster that was started for this suite. */
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
    if (found === undefined) throw new Error("cluster.json has no kube-apiserver");
    this.#pid = found.pid;
    this.#command = readFileSync(`/proc/${found.pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    if (!this.#command[0]?.endsWith("kube-apiserver")) throw new Error(`process ${found.pid} is not a kube-apiserver`);
  }

  /** Kills the process with SIGKILL. */
  kill(): void {
    this.#killedMs += cpuMsOfProcess(this.#pid);
    process.kill(this.#pid, "SIGKILL");
  }

  /** CPU time of the process before the kill and after the restart. */
  get cpuMs(): number {
    return this.#killedMs + (this.#child?.pid === undefined ? 0 : cpuMsOfProcess(this.#child.pid));
  }

  /** Starts the process again with the same flags and waits until it is ready. The environment variable ends it with the cluster. */
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
      if (this.#child.exitCode !== null) throw new Error(`kube-apiserver exited with ${this.#child.exitCode}`);
      const response = await this.#cluster.request({ path: "/readyz", timeoutMs: 2_000 }).catch(() => undefined);
      if (response?.status === 200) return;
      await systemClock.sleep(100);
    }
    throw new Error("kube-apiserver was not ready within a minute");
  }
}

interface ClusterRecord {
  readonly processes: readonly { readonly component: string; readonly pid: number }[];
}
