import { spawn } from "node:child_process";
import { constants } from "node:os";
import { CommandStartError } from "@homeostat/core";

/**
 * Runs a command with KUBECONFIG set and returns its exit code, 128 plus the signal number if a signal ended it.
 *
 * An aborted signal is forwarded as SIGTERM; the command decides when to exit.
 */
export function runCommand(command: readonly string[], kubeconfig: string, signal: AbortSignal): Promise<number> {
  const [program = "", ...words] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: "inherit", env: { ...process.env, KUBECONFIG: kubeconfig } });
    const forward = (): void => void child.kill("SIGTERM");
    signal.addEventListener("abort", forward, { once: true });
    const done = (): void => signal.removeEventListener("abort", forward);
    child.on("error", (error) => {
      done();
      reject(new CommandStartError(program, error));
    });
    child.on("exit", (code, name) => {
      done();
      resolve(code ?? 128 + (name === null ? 0 : constants.signals[name]));
    });
  });
}
