import { connect } from "./command/cluster.ts";
import { run } from "./run.ts";

const stopping = new AbortController();
const stop = (): void => {
  // The second signal exits at once instead of waiting for a clean stop.
  if (stopping.signal.aborted) process.exit(130);
  stopping.abort();
};
process.on("SIGINT", stop);
process.on("SIGTERM", stop);

process.exitCode = await run(process.argv.slice(2), {
  print: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
  readInput: async () => (await process.stdin.setEncoding("utf8").toArray({ signal: stopping.signal })).join(""),
  connect,
  signal: stopping.signal,
});
process.off("SIGINT", stop);
process.off("SIGTERM", stop);
