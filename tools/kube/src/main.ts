// The command: npm run kube -- build|up|node|image|down|env|status|list

import { HomeostatError } from "@homeostat/core";
import { parseCommand } from "./arguments.ts";
import { execute } from "./commands.ts";
import { InterruptedError, KubeUsageError, explain } from "./errors.ts";

const abort = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // The first undoes what was begun; whoever asks twice does not want to wait for that.
  process.once(signal, () => {
    abort.abort();
  });
}
// The reader of our output may have seen enough.
process.stdout.on("error", () => process.exit(1));

try {
  process.exitCode = await execute(parseCommand(process.argv.slice(2)), {
    env: process.env,
    signal: abort.signal,
    print: (line) => process.stdout.write(`${line}\n`),
    report: (line) => process.stderr.write(`${line}\n`),
  });
} catch (thrown) {
  const error = abort.signal.aborted ? new InterruptedError({ cause: thrown }) : explain(thrown);
  // What we raise on purpose says all there is to say; anything else is a fault of ours, and shows where.
  const text =
    error instanceof HomeostatError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${text}\n`);
  if (error instanceof InterruptedError) process.exitCode = 130;
  else process.exitCode = error instanceof KubeUsageError ? 2 : 1;
}
