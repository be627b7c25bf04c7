import { readArguments } from "./arguments.ts";
import { clusterCommand } from "./cluster-command.ts";
import { assetsFolder } from "./assets.ts";
import { failureText } from "./failure-text.ts";
import { assetsHelp, clusterHelp, help } from "./help.ts";
import { UsageError } from "./usage-error.ts";
import { versionText } from "./version-text.ts";

/** Runs a command line and returns its exit code: 2 for one that cannot be understood. */
async function main(words: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  const stop = (): void => {
    // The second time nobody waits for anything.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  try {
    const wanted = readArguments(words);
    if (wanted.run === "help") {
      process.stdout.write({ homeostat: help, cluster: clusterHelp, assets: assetsHelp }[wanted.of]);
      return 0;
    }
    if (wanted.run === "version") {
      process.stdout.write(`${versionText()}\n`);
      return 0;
    }
    if (wanted.run === "assets") {
      process.stdout.write(`${assetsFolder()}\n`);
      return 0;
    }
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    return await clusterCommand(wanted, { print, signal: stopping.signal });
  } catch (error) {
    const text = failureText(error);
    if (text === undefined) throw error;
    process.stderr.write(`homeostat: ${text}\n`);
    return error instanceof UsageError ? 2 : 1;
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

process.exitCode = await main(process.argv.slice(2));
