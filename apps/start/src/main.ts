import { exitCodeOf, HomeostatError, releaseVersion } from "@homeostat/core";
import { readArguments } from "./arguments.ts";
import { chronikDemo } from "./chronik/demo.ts";
import { help } from "./help.ts";
import { locustDemo } from "./locust/demo.ts";
import { sandboxDemo } from "./sandbox/demo.ts";
import { tenantDemo } from "./tenant/demo.ts";
import { start } from "./start.ts";

/** Runs a command line. Returns the exit code: 2 for an invalid command line, 1 for any other expected error. */
async function main(argv: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  const stop = (): void => {
    // The second signal exits at once instead of waiting for a clean stop.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort(new Error("interrupted by a signal"));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  try {
    const args = readArguments(argv);
    if (args.help) {
      process.stdout.write(help);
      return 0;
    }
    if (args.version) {
      process.stdout.write(`${releaseVersion}\n`);
      return 0;
    }
    const demos = [locustDemo(process.env), tenantDemo(), chronikDemo(), sandboxDemo()];
    const succeeded = await start(args, { output: process.stdout, demos, signal: stopping.signal });
    return succeeded || !args.isOnce ? 0 : 1;
  } catch (error) {
    if (!(error instanceof HomeostatError)) throw error;
    process.stderr.write(`npm start: ${error.message}\n`);
    return exitCodeOf(error);
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

process.exitCode = await main(process.argv.slice(2));
