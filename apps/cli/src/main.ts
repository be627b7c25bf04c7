import { completionScript, exitCodeOf, releaseVersion, systemClock } from "@homeostat/core";
import { readArguments } from "./arguments.ts";
import { clusterCommand } from "./cluster-command.ts";
import { assetsDirectory } from "./assets.ts";
import { failureText } from "./failure-text.ts";
import {
  assetsHelp,
  clusterHelp,
  completionHelp,
  dashboardHelp,
  devHelp,
  doctorHelp,
  generateHelp,
  help,
  rehearseHelp,
} from "./help.ts";
import { versionText } from "./version-text.ts";

/** Runs a command line. Returns the exit code: 2 for an invalid command line, 1 for any other expected error. */
async function main(argv: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  const stop = (): void => {
    // The second signal exits at once instead of waiting for a clean stop.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  try {
    const args = readArguments(argv);
    if (args.run === "help") {
      process.stdout.write(
        {
          homeostat: help,
          cluster: clusterHelp,
          dashboard: dashboardHelp,
          dev: devHelp,
          doctor: doctorHelp,
          completion: completionHelp,
          generate: generateHelp,
          rehearse: rehearseHelp,
          assets: assetsHelp,
        }[args.of],
      );
      return 0;
    }
    if (args.run === "version") {
      process.stdout.write(`${versionText()}\n`);
      return 0;
    }
    if (args.run === "assets") {
      process.stdout.write(`${assetsDirectory()}\n`);
      return 0;
    }
    if (args.run === "create") {
      const { createCommand } = await import("create-homeostat");
      return await createCommand(args.words, {
        program: "homeostat create",
        version: releaseVersion,
        input: process.stdin,
        output: process.stdout,
        errors: process.stderr,
        signal: stopping.signal,
      });
    }
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    const { signal } = stopping;
    if (args.run === "completion") {
      print(completionScript(args.shell, "homeostat"));
      return 0;
    }
    if (args.run === "complete") {
      const { suggest } = await import("./completion/suggest.ts");
      const { words, hasFiles } = suggest(args.words);
      for (const word of [...words, ...(hasFiles ? [":files"] : [])]) print(word);
      return 0;
    }
    if (args.run === "dev") {
      const { devCommand } = await import("./dev/dev-command.ts");
      const write = (text: string): void => void process.stdout.write(text);
      const { env } = process;
      return await devCommand(args, { print, write, folder: process.cwd(), env, clock: systemClock, signal });
    }
    if (args.run === "doctor") {
      const { doctorCommand } = await import("./doctor/doctor-command.ts");
      const { programAsker } = await import("./doctor/ask-program.ts");
      const nodeVersion = process.versions.node;
      return await doctorCommand(args, { print, ask: programAsker(signal), nodeVersion, signal });
    }
    if (args.run === "cluster") return await clusterCommand(args, { print, signal });
    const printProgress = (line: string): void => void process.stderr.write(`${line}\n`);
    if (args.run === "dashboard") {
      // Loaded on demand: the other commands need no dashboard.
      const { dashboardCommand } = await import("./dashboard/dashboard-command.ts");
      return await dashboardCommand(args, { print, printError: printProgress, signal });
    }
    const readInput = async (): Promise<string> =>
      (await process.stdin.setEncoding("utf8").toArray({ signal })).join("");
    if (args.run === "generate-types") {
      const { generateTypesCommand } = await import("./generate/generate-command.ts");
      return await generateTypesCommand(args, { print, readInput, signal });
    }
    // Loaded on demand: the other commands do not need the operator.
    const { rehearseCommand } = await import("./rehearse/rehearse-command.ts");
    return await rehearseCommand(args, { print, printProgress, readInput, signal });
  } catch (error) {
    const text = failureText(error);
    if (text === undefined) throw error;
    process.stderr.write(`homeostat: ${text}\n`);
    return exitCodeOf(error);
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

process.exitCode = await main(process.argv.slice(2));
