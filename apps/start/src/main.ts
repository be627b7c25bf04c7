import { HomeostatError } from "@homeostat/core";
import { readArguments } from "./arguments.ts";
import { help } from "./help.ts";
import { locustExhibit } from "./locust/exhibit.ts";
import { tenantExhibit } from "./tenant/exhibit.ts";
import { start } from "./start.ts";
import { UsageError } from "./usage-error.ts";

/** Runs a command line and returns its exit code: 2 for one that cannot be understood. */
async function main(words: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  const stop = (): void => {
    // The second time nobody waits for anything.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort(new Error("somebody stopped it"));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  try {
    const wanted = readArguments(words);
    if (wanted.help) {
      process.stdout.write(help);
      return 0;
    }
    const exhibits = [locustExhibit(process.env), tenantExhibit()];
    const isWell = await start(wanted, { output: process.stdout, exhibits, signal: stopping.signal });
    return isWell || !wanted.isOnce ? 0 : 1;
  } catch (error) {
    if (!(error instanceof HomeostatError)) throw error;
    process.stderr.write(`npm start: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

process.exitCode = await main(process.argv.slice(2));
