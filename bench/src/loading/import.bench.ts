import { spawnSync } from "node:child_process";
import type { BenchCases } from "../harness/case.ts";

/** Returns a subject that starts a process which loads these packages and exits. The cost is the difference from a process that loads nothing. */
const load = (...names: string[]) => {
  const script = names.map((name) => `await import("${name}");`).join("");
  return (): void => {
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: import.meta.dirname,
    });
    if (status !== 0) throw new Error(stderr.toString());
  };
};

export const cases: BenchCases = [
  {
    name: "start Node and load packages",
    subjects: {
      homeostat: load("homeostat"),
      "core and schema": load("@homeostat/core", "@homeostat/schema"),
      core: load("@homeostat/core"),
      "one group of the Kubernetes types": load("@homeostat/kubernetes/batch/v1"),
      nothing: load(),
    },
  },
];
