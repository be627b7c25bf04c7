import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Environment } from "../cache/paths.ts";

/** Removes a cluster when this process has exited. */
export interface Watchdog {
  /** Stops the watchdog: the cluster is already removed. */
  dismiss(): void;
}

/**
 * Starts a process that waits until this one exits or is killed, and then removes the cluster with that name.
 *
 * It holds the other end of a pipe, which the kernel closes when this process ends.
 */
export function startWatchdog(name: string, env: Environment): Watchdog {
  const program = fileURLToPath(new URL("./watchdog-main.js", import.meta.url));
  const child = spawn(process.execPath, [...conditions(process.execArgv), program, name], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...env },
  });
  // Without the watchdog, the next start of a cluster cleans up; a suite need not fail for that.
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

/** Flags that affect module resolution: the child must use the same ones. */
function conditions(flags: readonly string[]): string[] {
  return flags.filter((flag, i) => {
    const before = flags[i - 1];
    return /^(--conditions|-C)(=|$)/.test(flag) || before === "--conditions" || before === "-C";
  });
}
