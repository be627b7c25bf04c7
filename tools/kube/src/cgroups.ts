import { existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { poll } from "./time.ts";

const mount = "/sys/fs/cgroup";

/** Makes a control group for the pods of a cluster, in every hierarchy of this machine, beside everybody else's. */
export function makeCgroup(name: string): void {
  for (const hierarchy of hierarchies()) mkdirSync(join(hierarchy, name), { recursive: true });
  if (!isUnified()) return;
  // Only what the parent hands down can be limited below.
  for (const controller of ["cpuset", "cpu", "io", "memory", "pids"]) {
    for (const folder of [mount, join(mount, name)]) {
      try {
        writeFileSync(join(folder, "cgroup.subtree_control"), `+${controller}`);
      } catch {
        // This kernel has no such controller; the kubelet will say so if it needs it.
      }
    }
  }
}

/** Removes a control group and all below it, as soon as the last process has left it. */
export async function removeCgroup(name: string): Promise<void> {
  const folders = hierarchies().map((hierarchy) => join(hierarchy, name));
  await poll(() => folders.map(removeTree).every(Boolean), { everyMs: 50, timeoutMs: 5000 });
}

function isUnified(): boolean {
  return existsSync(join(mount, "cgroup.controllers"));
}

/** One folder with the second version of control groups; one per controller with the first. */
function hierarchies(): string[] {
  if (!existsSync(mount)) return [];
  if (isUnified()) return [mount];
  return readdirSync(mount)
    .map((name) => join(mount, name))
    .filter((path) => lstatSync(path).isDirectory() && existsSync(join(path, "cgroup.procs")));
}

/** Groups are removed as empty folders, from the leaves up; the files in them are the kernel's. */
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
