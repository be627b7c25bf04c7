// The command line program: npm run kube -- build|up|node|image|down|env|status|list

import { exitCodeOf, failureTextOf } from "@homeostat/core";
import { parseCommand } from "./cli/arguments.ts";
import { execute } from "./cli/commands.ts";
import { InterruptedError, explain } from "./errors.ts";

const abort = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  // The first signal removes partial results; the second exits immediately.
  process.once(signal, () => {
    abort.abort();
  });
}
// The reader of stdout may close the pipe early.
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
  process.stderr.write(`${failureTextOf(error)}\n`);
  process.exitCode = error instanceof InterruptedError ? 130 : exitCodeOf(error);
}
