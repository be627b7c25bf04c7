import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Environment } from "./paths.ts";

/** Something that cleans a cluster away when this process is gone. */
export interface Watchdog {
  /** Tells it that there is nothing left to watch. */
  dismiss(): void;
}

/**
 * Starts a process that waits for this one to end, however it does, and then cleans the cluster of that name away.
 *
 * It holds the other end of a pipe, and the kernel closes ours when we are gone, killed or not.
 */
export function watchOver(name: string, env: Environment): Watchdog {
  const program = fileURLToPath(new URL("./watchdog-main.js", import.meta.url));
  const child = spawn(process.execPath, [...conditions(process.execArgv), program, name], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...env },
  });
  // Without it the next start cleans up; a suite need not fail for that.
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  child.unref();
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  return {
    dismiss: () => {
      child.stdin.end();
    },
  };
}

/** The flags that decide which file a package's name stands for: the child has to see the same ones. */
function conditions(flags: readonly string[]): string[] {
  return flags.filter((flag, i) => {
    const before = flags[i - 1];
    return /^(--conditions|-C)(=|$)/.test(flag) || before === "--conditions" || before === "-C";
  });
}
