// Preloaded into the processes of test files by `--times`: appends the CPU time of the process and of the processes
// it has started to the file named by HOMEOSTAT_TEST_COSTS.

import { appendFileSync } from "node:fs";
import { costsVariable, type CostNote } from "./costs.ts";
import { processCpuMs } from "./process-cpu.ts";

const notes = process.env[costsVariable];
const file = process.argv[1] ?? "";

// Programs that a test starts inherit the preload; the kernel adds their time to that of the test's process. Programs that run several test
// files write the notes themselves; see batch.ts.
if (notes !== undefined && file.endsWith(".test.js")) {
  process.on("exit", () => {
    const note: CostNote = { file, cpuMs: processCpuMs() };
    appendFileSync(notes, `${JSON.stringify(note)}\n`);
  });
}
