import { execFile } from "node:child_process";
import { type AskProgram, versionIn } from "./machine.ts";

/** Time for a program to print its version, in milliseconds. */
const timeoutMs = 10_000;

/** Returns a function that runs programs until the signal aborts. */
export function programAsker(signal: AbortSignal): AskProgram {
  return (name, words) =>
    new Promise((resolve) => {
      execFile(name, words, { signal, timeout: timeoutMs }, (error, output, errors) => {
        if (error === null) resolve({ version: versionIn(output) });
        else if (error.code === "ENOENT") resolve("missing");
        else if (error.killed === true) resolve({ problem: `it did not respond within ${timeoutMs / 1_000} seconds` });
        else resolve({ problem: errors.trim().split("\n")[0] || error.message });
      });
    });
}
