import { systemClock, systemRandom } from "@homeostat/core";
import { exitCodeOfSignal, Interrupt, type StopSignal } from "./command/interrupt.ts";
import { machineOf } from "./command/machine.ts";
import { run } from "./run.ts";

const stopping = new AbortController();
const stop = (signal: StopSignal): void => {
  // The second signal exits at once instead of waiting for a clean stop.
  if (stopping.signal.aborted) process.exit(exitCodeOfSignal(signal));
  stopping.abort(new Interrupt(signal));
};
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
for (const signal of signals) process.on(signal, stop);

// The reader of a pipe has left, as in `sandboxctl sandbox logs pr-42 -f | head`: more output has no reader, so the command stops.
const stopWithReader = (error: Error): void => {
  if (!("code" in error) || error.code !== "EPIPE") throw error;
  if (!stopping.signal.aborted) stopping.abort(new Interrupt("SIGHUP"));
};
process.stdout.on("error", stopWithReader);
process.stderr.on("error", stopWithReader);

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
for (const signal of signals) process.off(signal, stop);
