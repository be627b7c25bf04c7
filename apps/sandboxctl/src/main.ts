import { systemClock, systemRandom } from "@homeostat/core";
import { machineOf } from "./command/machine.ts";
import { run } from "./run.ts";

const stopping = new AbortController();
const stop = (): void => {
  // The second signal exits at once instead of waiting for a clean stop.
  if (stopping.signal.aborted) process.exit(130);
  stopping.abort();
};
process.on("SIGINT", stop);
process.on("SIGTERM", stop);

const note = (line: string): void => void process.stderr.write(`${line}\n`);
process.exitCode = await run(process.argv.slice(2), {
  print: (line) => void process.stdout.write(`${line}\n`),
  note,
  readInput: async () => (await process.stdin.setEncoding("utf8").toArray({ signal: stopping.signal })).join(""),
  connect: async (args) => (await import("./command/cluster.ts")).connect(args, note),
  signal: stopping.signal,
  clock: systemClock,
  random: systemRandom,
  machine: machineOf(process.env),
});
process.off("SIGINT", stop);
process.off("SIGTERM", stop);
