import type { CommandResult, ProgramContext, RunningProgram } from "./program.ts";
import { readWords, type ShellStep } from "./shell-parse.ts";

/** Path of the termination message file. */
const terminationLog = "/dev/termination-log";
/** Pause of a loop that does not sleep; it would block the event loop otherwise. */
const loopPauseMs = 100;

interface ShellState {
  readonly files: Map<string, string>;
  ok: boolean;
  /** Exit code on SIGTERM. PID 1 ignores the signal unless it has a handler, so undefined means ignored. */
  onTerm: { readonly exitCode: number } | undefined;
  isTermWaiting: boolean;
}

/** Thrown by `exit` to leave nested steps. */
class ExitRequest extends Error {
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Runs the steps of a command as the only process of a container. */
export function startShell(steps: readonly ShellStep[], context: ProgramContext): RunningProgram {
  const killed = new AbortController();
  const state: ShellState = { files: new Map(context.files), ok: true, onTerm: undefined, isTermWaiting: false };
  const end = (exitCode: number): void => {
    if (killed.signal.aborted) return;
    context.exit({ exitCode, message: state.files.get(terminationLog) });
  };
  runSteps(steps, state, context, killed.signal).then(
    () => end(state.ok ? 0 : 1),
    (error: unknown) => {
      if (error instanceof ExitRequest) end(error.exitCode);
    },
  );
  return {
    servesPorts: true,
    terminate: () => {
      state.isTermWaiting = true;
    },
    kill: () => killed.abort(),
    exec: (command) => {
      const read = readWords(command, context.env);
      return read === undefined ? undefined : runForProbe(read, state.files);
    },
  };
}

async function runSteps(
  steps: readonly ShellStep[],
  state: ShellState,
  context: ProgramContext,
  signal: AbortSignal,
): Promise<void> {
  let isSkipping = false;
  for (const step of steps) {
    if (isSkipping) {
      isSkipping = false;
      continue;
    }
    switch (step.do) {
      case "sleep":
        await context.clock.sleep(step.ms, signal);
        state.ok = true;
        break;
      case "loop":
        for (;;) {
          await runSteps(step.body, state, context, signal);
          if (!step.body.some((inner) => inner.do === "sleep" || inner.do === "loop"))
            await context.clock.sleep(loopPauseMs, signal);
        }
      case "trap":
        state.onTerm = step.exitCode === undefined ? undefined : { exitCode: step.exitCode };
        state.ok = true;
        break;
      case "unless":
        isSkipping = state.ok === step.ok;
        break;
      case "print":
        if (step.file === undefined) context.print(step.text);
        else state.files.set(step.file, step.text);
        state.ok = true;
        break;
      default: {
        const { ok, output } = runFileStep(step, state.files);
        state.ok = ok;
        if (output !== "") context.print(output);
      }
    }
    if (state.isTermWaiting && state.onTerm !== undefined) throw new ExitRequest(state.onTerm.exitCode);
  }
}

/** Runs steps for an exec probe: returns the result and the time that the command would take. */
function runForProbe(
  steps: readonly ShellStep[],
  files: Map<string, string>,
): CommandResult & { readonly pauseMs: number } {
  let output = "";
  let pauseMs = 0;
  let ok = true;
  let isSkipping = false;
  try {
    for (const step of steps) {
      if (isSkipping) {
        isSkipping = false;
        continue;
      }
      if (step.do === "loop") return { ok: false, output, pauseMs: Infinity };
      if (step.do === "sleep") pauseMs += step.ms;
      else if (step.do === "unless") isSkipping = ok === step.ok;
      else if (step.do === "print") output += step.text;
      else if (step.do !== "trap") {
        const result = runFileStep(step, files);
        ({ ok } = result);
        output += result.output;
      }
    }
  } catch (error) {
    if (!(error instanceof ExitRequest)) throw error;
    ok = error.exitCode === 0;
  }
  return { ok, output, pauseMs };
}

type PlainStep = Exclude<ShellStep, { readonly do: "sleep" | "loop" | "trap" | "unless" | "print" }>;

function runFileStep(step: PlainStep, files: Map<string, string>): CommandResult {
  switch (step.do) {
    case "exit":
      throw new ExitRequest(step.code);
    case "result":
      return { ok: step.ok, output: "" };
    case "exists":
      return { ok: files.has(step.file), output: "" };
    case "touch":
      files.set(step.file, files.get(step.file) ?? "");
      return { ok: true, output: "" };
    case "remove":
      files.delete(step.file);
      return { ok: true, output: "" };
    case "read": {
      const text = files.get(step.file);
      if (text !== undefined) return { ok: true, output: text };
      return { ok: false, output: `cat: ${step.file}: No such file or directory\n` };
    }
  }
}
