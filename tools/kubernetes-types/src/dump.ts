import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Input, parseInput } from "./input.ts";

/** The release that the modules pinned in `dump/go.mod` are of. */
export const release = "1.36.3";

const program = fileURLToPath(new URL("../dump", import.meta.url));
const inputFile = fileURLToPath(new URL(`../generated/kubernetes-${release}.json`, import.meta.url));

/** Runs the Go program in `dump/` and keeps what it says. The first run downloads the modules of Kubernetes. */
export function dumpInput(): void {
  const text = execFileSync("go", ["run", "."], {
    cwd: program,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const found = parseInput(text).release;
  if (found !== release)
    throw new Error(`dump/go.mod pins Kubernetes ${found}; say so in src/dump.ts, which has ${release}`);
  // Renamed into place, so that an interrupted run leaves the old input whole.
  const temporary = `${inputFile}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, inputFile);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The input that the repository holds. */
export function readInput(): Input {
  return parseInput(readFileSync(inputFile, "utf8"));
}
