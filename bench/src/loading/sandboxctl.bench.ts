import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BenchCases } from "../harness/case.ts";

const program = fileURLToPath(new URL("../../../apps/sandboxctl/bin/sandboxctl.js", import.meta.url));

/** Returns a subject that starts Node with these words and waits for its end. */
const start = (...words: string[]) => {
  return (): void => {
    const { status, stderr } = spawnSync(process.execPath, words);
    if (status !== 0) throw new Error(stderr.toString());
  };
};

// Developers wait for every start of the command line. Node alone takes 40 ms on a quiet core; three times that is below the goal of 150 ms.
export const cases: BenchCases = [
  {
    name: "start sandboxctl and print its help",
    subjects: {
      "sandboxctl --help": start(program, "--help"),
      "node -e 0": start("-e", "0"),
    },
    ratioMax: 3,
  },
];
