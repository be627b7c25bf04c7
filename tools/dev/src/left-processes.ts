// Ends the processes that test files have started and left running, and removes their temporary files.
//
// A test file ends the programs that it starts, unless it is killed: by its time limit, or with the whole run. Every process of a run has
// the run's folder in its environment, which child processes inherit, so that they are found without knowing their parents.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The environment variable with the folder of the run. Temporary files of tests are in that folder as well. */
export const runVariable = "HOMEOSTAT_TEST_RUN";

/** Processes of clusters of tools/kube, and the programs that remove such a cluster in the right order when its owner has ended. */
const clusterVariable = "HOMEOSTAT_KUBE_CLUSTER";
const clusterWatchdog = "watchdog-main.js";

/** A program that ends what a run leaves behind. */
export interface ProcessWatchdog {
  /** Ends the processes that are left and removes the folder; resolves when that is done. */
  stop(): Promise<void>;
}

/** Starts a program that ends the processes of a run and removes its folder after `stop`, and also when this process is killed. */
export function watchProcesses(folder: string): ProcessWatchdog {
  const program = fileURLToPath(new URL("./left-processes-main.js", import.meta.url));
  const { [runVariable]: _, ...env } = process.env;
  const child = spawn(process.execPath, [program, folder], {
    detached: true,
    stdio: ["pipe", "ignore", "inherit"],
    // Without the flags of test processes, such as the one that notes their costs.
    env: { ...env, NODE_OPTIONS: "" },
  });
  const ended = once(child, "exit");
  return {
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** Returns the processes of a run, without those of clusters. Linux only; elsewhere the list is empty. */
export function processesOf(folder: string): number[] {
  const mark = `${runVariable}=${folder}`;
  return processNumbers().filter((pid) => {
    const environment = read(pid, "environ");
    if (!environment.includes(mark) || environment.some((entry) => entry.startsWith(`${clusterVariable}=`)))
      return false;
    return !read(pid, "cmdline").some((word) => word.endsWith(`/${clusterWatchdog}`));
  });
}

/** Ends all processes of a run at once. Processes that they start meanwhile are ended as well. */
export function endProcesses(folder: string): void {
  const roundsMax = 100;
  for (let round = 0; round < roundsMax; round += 1) {
    const left = processesOf(folder);
    if (left.length === 0) return;
    for (const pid of left) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended in the meantime.
  }
}

function processNumbers(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Returns the parts of a file of a process; none if it has ended or belongs to another user. */
function read(pid: number, file: "environ" | "cmdline"): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0");
  } catch {
    return [];
  }
}
