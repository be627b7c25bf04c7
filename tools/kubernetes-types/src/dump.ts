import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Input, parseInput } from "./input.ts";

/** Kubernetes release of the modules pinned in `dump/go.mod`. */
export const release = "1.36.3";

const program = fileURLToPath(new URL("../dump", import.meta.url));
const inputFile = fileURLToPath(new URL(`../generated/kubernetes-${release}.json`, import.meta.url));

/** Runs the Go program in `dump/` and stores its output. The first run downloads the Kubernetes modules. */
export function dumpInput(): void {
  const text = execFileSync("go", ["run", "."], {
    cwd: program,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const found = parseInput(text).release;
  if (found !== release)
    throw new Error(`dump/go.mod pins Kubernetes ${found}, but src/dump.ts has ${release}; update src/dump.ts`);
  // Renamed into place, so that an interrupted run does not damage the old input.
  const temporary = `${inputFile}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, inputFile);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Reads the input stored in the repository. */
export function readInput(): Input {
  return parseInput(readFileSync(inputFile, "utf8"));
}
