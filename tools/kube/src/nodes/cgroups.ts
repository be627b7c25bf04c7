import { existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { poll } from "../processes/time.ts";

const mount = "/sys/fs/cgroup";

// The scheduler of the kernel treats a cgroup like one process. All pods of a node together would get no more CPU time than each of the
// compilers and tests beside them, and members of a cluster would miss every deadline on a busy machine.
const processesPerNode = 4;
const cpuShares = { "cpu.shares": 1024 * processesPerNode, "cpu.weight": 100 * processesPerNode };

/** Creates a cgroup for the pods of a cluster in every hierarchy of this machine. */
export function makeCgroup(name: string): void {
  for (const hierarchy of hierarchies()) mkdirSync(join(hierarchy, name), { recursive: true });
  if (isUnified()) delegate(name);
  for (const folder of hierarchies().map((hierarchy) => join(hierarchy, name)))
    for (const [file, value] of Object.entries(cpuShares))
      if (existsSync(join(folder, file))) writeFileSync(join(folder, file), String(value));
}

function delegate(name: string): void {
  // Only controllers that the parent delegates can be limited below it.
  for (const controller of ["cpuset", "cpu", "io", "memory", "pids"]) {
    for (const folder of [mount, join(mount, name)]) {
      try {
        writeFileSync(join(folder, "cgroup.subtree_control"), `+${controller}`);
      } catch {
        // The kernel lacks this controller; the kubelet reports it if needed.
      }
    }
  }
}

/** Removes a cgroup with its children when the last process has left it. */
export async function removeCgroup(name: string): Promise<void> {
  const folders = hierarchies().map((hierarchy) => join(hierarchy, name));
  await poll(() => folders.map(removeTree).every(Boolean), { everyMs: 50, timeoutMs: 5000 });
}

function isUnified(): boolean {
  return existsSync(join(mount, "cgroup.controllers"));
}

/** Returns one folder for cgroup v2, and one per controller for v1. */
function hierarchies(): string[] {
  if (!existsSync(mount)) return [];
  if (isUnified()) return [mount];
  return readdirSync(mount)
    .map((name) => join(mount, name))
    .filter((path) => lstatSync(path).isDirectory() && existsSync(join(path, "cgroup.procs")));
}

/** cgroups are removed as empty folders, from the leaves up; the kernel owns the files in them. */
function removeTree(folder: string): boolean {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) removeTree(join(folder, entry.name));
    }
    rmdirSync(folder);
  } catch {
    return !existsSync(folder);
  }
  return true;
}
