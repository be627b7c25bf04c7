import type { spawn } from "node:child_process";
import type { CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { waitUntil } from "../objects/wait-until.ts";
import type { connectFlags, targetFlags, tunnelFlags } from "./flags.ts";
import { readStates } from "./state-file.ts";

/** Starts the same command line without `--background` as a process of its own, and waits until its tunnel is attached. */
export async function startInBackground(
  input: CommandInput<typeof targetFlags & typeof tunnelFlags & typeof connectFlags>,
  context: CommandContext,
  start: typeof spawn,
): Promise<number> {
  const [program = "", ...words] = process.argv.filter((word) => !/^--background(?:=true)?$/.test(word));
  const child = start(program, words, { detached: true, stdio: "ignore" });
  let ending: string | undefined;
  child.on("exit", (code) => (ending = `it exited with code ${code ?? "of a signal"}`));
  child.on("error", (error) => (ending = error.message));
  child.unref();
  const { pid } = child;
  await waitUntil(
    {
      what: "the tunnel in the background to be attached",
      look: async () => {
        if (ending !== undefined) {
          throw new CommandError(
            `The tunnel in the background has failed: ${ending}. Run the command without --background to see why`,
            exitCodes.error,
          );
        }
        const state = (await readStates(context.machine.stateFolder)).find((each) => each.pid === pid);
        if (state?.state === "attached") return { done: undefined };
        return { missing: state === undefined ? "its process starts" : state.lastError || state.state };
      },
      timeoutMs: input.durationMs("wait-timeout") ?? 0,
      next: "sandboxctl local status",
    },
    context,
  );
  context.print(`Attached in the background (process ${pid ?? ""}). Stop it with sandboxctl local disconnect`);
  return exitCodes.done;
}
