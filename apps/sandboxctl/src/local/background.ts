import type { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { waitUntil } from "../objects/wait-until.ts";
import { type connectFlags, type targetFlags, type tunnelFlags, waitChoices } from "./flags.ts";
import { required } from "./open-tunnel.ts";
import { readStates } from "../state/state-file.ts";

/** Lines of the log that are shown if the process fails. */
const logLinesMax = 5;
/** The process waits for the operator and then for the tunnel, each as long as the user allows, and reports which. */
const waits = 2;
/** Time beyond the waits of the process, so it can report its own timeout. */
const graceMs = 10_000;

/**
 * Starts the same command line without `--background` in a separate process, and waits until that process has reported success.
 */
export async function startInBackground(
  input: CommandInput<typeof targetFlags & typeof tunnelFlags & typeof connectFlags>,
  context: CommandContext,
  start: typeof spawn,
): Promise<number> {
  const sandbox = required(input.text("sandbox"), "--sandbox NAME");
  const service = required(input.text("service"), "--service NAME");
  const log = await logFile(context.machine.stateFolder, `${sandbox}-${service}`);
  const [program = "", ...words] = process.argv.filter((word) => !/^--background(?:=true)?$/.test(word));
  const output = openSync(log, "w", 0o600);
  const child = start(program, words, { detached: true, stdio: ["ignore", output, output] });
  closeSync(output);
  let failure: { readonly text: string; readonly code: number } | undefined;
  child.on("exit", (code) => {
    failure = { text: `exited with code ${code ?? "of a signal"}`, code: code ?? exitCodes.error };
  });
  child.on("error", (error) => (failure = { text: error.message, code: exitCodes.error }));
  child.unref();
  const pid = child.pid ?? 0;
  if (input.choice("wait", waitChoices) !== "none") {
    await waitUntil(
      {
        what: `process ${pid} in the background to be connected`,
        look: async () => {
          if (failure !== undefined) {
            const lines = (await readFile(log, "utf8").catch(() => "")).trimEnd().split("\n").slice(-logLinesMax);
            throw new CommandError(
              `The process in the background ${failure.text}; the end of ${log}:\n${lines.join("\n")}`,
              failure.code === 0 ? exitCodes.error : failure.code,
            );
          }
          const state = (await readStates(context.machine.stateFolder)).find((each) => each.pid === pid);
          if (state?.isReady === true) return { done: undefined };
          if (state === undefined) return { missing: "it starts" };
          return { missing: `the tunnel is ${state.state}${state.lastError === "" ? "" : `: ${state.lastError}`}` };
        },
        timeoutMs: waits * (input.durationMs("wait-timeout") ?? 0) + graceMs,
        next: log,
      },
      context,
    );
  }
  context.print(`Process ${pid} runs in the background and writes to ${log}`);
  context.print("See sandboxctl local status; stop it with sandboxctl local disconnect");
  return exitCodes.done;
}

/** Returns the path of the log of a process in the background. The next one for the same service replaces it. */
async function logFile(stateFolder: string, name: string): Promise<string> {
  const folder = join(stateFolder, "logs");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return join(folder, `${name.replaceAll(/[^a-zA-Z0-9-]/g, "_").slice(0, 128)}.log`);
}
