import type { RunPlugin } from "./exec-plugin.ts";

const outputBytesMax = 1024 * 1024;

/** Runs a credential plugin as a process, without a shell, with the environment of this process and the given variables. */
export const runPlugin: RunPlugin = (command, args, env, signal) =>
  new Promise((resolve, reject) => {
    // Loaded on first use: the module takes 2 MB of memory, and programs in a pod never need it.
    const { spawn } = process.getBuiltinModule("node:child_process");
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"], signal });
    const streams = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (piece: string) => {
        streams[name] += piece;
        if (streams[name].length > outputBytesMax) child.kill();
      });
    }
    child.on("error", reject);
    child.on("close", (code) => resolve({ exitCode: code ?? 1, ...streams }));
  });
