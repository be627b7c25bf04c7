import { spawn } from "node:child_process";
import { constants } from "node:os";
import { UsageError } from "./usage-error.ts";

/** Runs a command with a kubeconfig and returns its exit code. Signals that come meanwhile are the command's to answer. */
export function runCommand(command: readonly string[], kubeconfig: string, signal: AbortSignal): Promise<number> {
  const [program = "", ...words] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: "inherit", env: { ...process.env, KUBECONFIG: kubeconfig } });
    const pass = (): void => void child.kill("SIGTERM");
    signal.addEventListener("abort", pass, { once: true });
    const done = (): void => signal.removeEventListener("abort", pass);
    child.on("error", (error) => {
      done();
      reject(new UsageError(`${program} could not be started: ${error.message}`, { cause: error }));
    });
    child.on("exit", (code, name) => {
      done();
      resolve(code ?? 128 + (name === null ? 0 : constants.signals[name]));
    });
  });
}
