import type { Timer } from "@homeostat/core";
import type { Exit } from "./exit.ts";
import type { AppModel, ProgramContext, RunningProgram } from "./program.ts";
import type { Script } from "./script.ts";
import { readCommand } from "./shell-parse.ts";
import { startShell } from "./shell-program.ts";

/**
 * Starts the program of a container: the app model of its image, else its shell command if it can be simulated, else
 * a program that does nothing.
 */
export function startProgram(context: ProgramContext, script: Script, models: readonly AppModel[]): RunningProgram {
  for (const line of script.log ?? []) context.print(line);
  const exit = scriptedExit(script, context.restarts);
  const timers = new Set<Timer>();
  let program: RunningProgram | undefined;
  let hasExited = false;
  const end = (result: Exit): void => {
    if (hasExited) return;
    hasExited = true;
    for (const timer of timers) timer[Symbol.dispose]();
    const { terminationMessage } = script;
    context.exit(
      terminationMessage === undefined ? result : { ...result, message: result.message ?? terminationMessage },
    );
  };
  const exitLater = (ms: number, result: Exit): void => {
    timers.add(
      context.clock.schedule(ms, () => {
        program?.kill();
        end(result);
      }),
    );
  };
  program = startUnscripted({ ...context, exit: end }, script, { models, hasExit: exit !== undefined });
  if (exit !== undefined) exitLater(script.exitAfterMs ?? 0, exit);
  const running = program;
  return {
    ...(running.servesPorts === undefined ? {} : { servesPorts: running.servesPorts }),
    ...(running.probe === undefined ? {} : { probe: (target) => running.probe?.(target) }),
    terminate: () => {
      if (script.ignoreSigterm === true) return;
      if (script.stopMs === undefined && script.stopExitCode === undefined) running.terminate();
      else exitLater(script.stopMs ?? 0, { exitCode: script.stopExitCode ?? 0 });
    },
    kill: () => {
      hasExited = true;
      for (const timer of timers) timer[Symbol.dispose]();
      running.kill();
    },
    ...(running.exec === undefined ? {} : { exec: (command) => running.exec?.(command) }),
  };
}

/** Returns how the script ends this run; undefined when it does not. */
function scriptedExit(
  { exitAfterMs, exitCode, oomKilled, times = Infinity }: Script,
  restarts: number,
): Exit | undefined {
  if (restarts >= times) return undefined;
  if (oomKilled === true) return { exitCode: 137, reason: "OOMKilled" };
  if (exitAfterMs === undefined && exitCode === undefined) return undefined;
  return { exitCode: exitCode ?? 0 };
}

function startUnscripted(
  context: ProgramContext,
  { model: modelName }: Script,
  { models, hasExit }: { readonly models: readonly AppModel[]; readonly hasExit: boolean },
): RunningProgram {
  const model = models.find((one) => (modelName === undefined ? one.runs(context.container) : one.name === modelName));
  if (model !== undefined) return model.start(context);
  const steps = hasExit ? undefined : readCommand(context.container, context.env);
  return steps === undefined ? idle(context) : startShell(steps, context);
}

/** Builds a program that does nothing and exits with code 0 on SIGTERM. */
function idle({ exit }: ProgramContext): RunningProgram {
  return { terminate: () => exit({ exitCode: 0 }), kill: () => undefined };
}
