import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandStartError } from "@homeostat/core";
import type { Cluster, CommandContext } from "../command/context.ts";
import type { CommandInput } from "../command/input.ts";
import { exitCodeOfSignal, stopSignalOf } from "../command/interrupt.ts";
import { containerOf } from "../workload/containers.ts";
import { resolveEnvironment } from "../workload/environment.ts";
import { readMountedFiles } from "../workload/mounted-files.ts";
import { readWorkloadOfEntry } from "../workload/read-workload.ts";
import { Sources } from "../workload/sources.ts";
import { writeMountedFiles } from "../workload/write-files.ts";
import { endOf, summary, untilReady } from "./connect-command.ts";
import { endWithParent } from "./end-with-parent.ts";
import { type runFlags, targetFlags, tunnelFlags, waitChoices } from "./flags.ts";
import { openTunnel, type OpenTunnel } from "./open-tunnel.ts";
import { processEnvironment } from "./process-environment.ts";
import { filesPrefix } from "../state/state-file.ts";

type RunInput = CommandInput<typeof targetFlags & typeof tunnelFlags & typeof runFlags>;

/** Time that a command has to stop after an interrupt, in milliseconds. */
const stopMs = 10_000;

/** Runs a command in place of a service. Returns its exit code. */
export async function runLocal(input: RunInput, context: CommandContext): Promise<number> {
  using cluster = await context.connect(input.connection);
  // The tunnel stays open after the first interrupt, because the command may still respond to requests while it stops.
  const closing = new AbortController();
  await using tunnel = await openTunnel(
    cluster,
    input.part({ ...targetFlags, ...tunnelFlags }),
    context,
    closing.signal,
  );
  const folder = await mkdtemp(join(tmpdir(), filesPrefix));
  // A second interrupt ends this process at once: the files may contain secrets.
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeFolder);
  try {
    await tunnel.useFiles(folder);
    const env = await environmentOf(cluster, tunnel, { input, folder }, context);
    const wait = input.choice("wait", waitChoices);
    // The process must listen before the workload can be ready.
    await untilReady(
      cluster,
      tunnel,
      { wait: wait === "ready" ? "tunnel" : wait, timeoutMs: input.durationMs("wait-timeout") ?? 0 },
      context,
    );
    for (const line of summary(tunnel)) context.note(line);
    await tunnel.announce();
    return await runCommand(input.following, env, tunnel, context);
  } finally {
    removeFolder();
    process.off("exit", removeFolder);
    closing.abort();
  }
}

async function environmentOf(
  cluster: Cluster,
  { prepared, routingKey, proxyAddress }: OpenTunnel,
  { input, folder }: { readonly input: RunInput; readonly folder: string },
  { machine, signal, note }: CommandContext,
): Promise<Record<string, string>> {
  const { sandbox, workload } = prepared;
  const entry = workload.spec.service.name;
  const variables = new Map<string, string>();
  if (input.isSet("env") || input.isSet("files")) {
    const baseline = await readWorkloadOfEntry(cluster, { sandbox, entry }, signal);
    const container = containerOf(baseline, input.text("container"));
    const sources = new Sources(cluster.client, { namespace: baseline.namespace, signal });
    if (input.isSet("env")) {
      const resolved = await resolveEnvironment(baseline, container, sources);
      for (const [name, value] of resolved.variables) variables.set(name, value);
      for (const line of resolved.omitted) note(`left out: ${line}`);
    }
    if (input.isSet("files")) {
      const mounted = await readMountedFiles(baseline, container, sources);
      for (const line of mounted.omitted) note(`left out: ${line}`);
      await writeMountedFiles(mounted.files, folder);
    }
  }
  return processEnvironment({
    own: machine.env,
    baseline: variables,
    sandbox: { name: sandbox.metadata.name ?? "", namespace: sandbox.metadata.namespace ?? "", routingKey },
    files: input.isSet("files") ? folder : undefined,
    proxy: input.isSet("proxy") ? proxyAddress : undefined,
  });
}

/** Runs a command until it exits, or until the tunnel has ended and will not reconnect. */
async function runCommand(
  command: readonly string[],
  env: Record<string, string>,
  tunnel: OpenTunnel,
  context: CommandContext,
): Promise<number> {
  const { signal, clock, note } = context;
  const [program = "", ...words] = command;
  const child = spawn(program, words, { stdio: "inherit", env });
  // A second interrupt ends this process at once; the command must not continue without it.
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const releaseWatch = child.pid === undefined ? undefined : endWithParent(child.pid);
  const interrupt = (): void => {
    const name = stopSignalOf(signal.reason);
    // A terminal sends the interrupt to all of its processes. Forwarding it would count as the second one.
    if (name !== "SIGINT" || !process.stdin.isTTY) child.kill(name);
    note("Waiting for the command to stop; interrupt again to end it at once");
  };
  signal.addEventListener("abort", interrupt, { once: true });
  if (signal.aborted) interrupt();
  const stopping = new AbortController();
  void stopWithTunnel(tunnel, { note, stop: () => stopping.abort() });
  stopping.signal.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  const late = onAbort(AbortSignal.any([signal, stopping.signal]), () =>
    clock.schedule(stopMs, () => {
      note(`The command has not stopped within ${stopMs / 1_000} seconds; ending it`);
      kill();
    }),
  );
  try {
    const code = await exitCodeOf(child, program);
    if (stopping.signal.aborted && !signal.aborted) endOf(await tunnel.ended, context);
    return code;
  } finally {
    releaseWatch?.();
    late();
    process.off("exit", kill);
    signal.removeEventListener("abort", interrupt);
  }
}

/** Stops a command when its tunnel has ended and will not reconnect. */
async function stopWithTunnel(
  { ended }: OpenTunnel,
  { note, stop }: { readonly note: (line: string) => void; readonly stop: () => void },
): Promise<void> {
  try {
    const end = await ended;
    if (end !== undefined) note(`The tunnel has ended (${end.reason}); stopping the command`);
  } catch (error) {
    note(error instanceof Error ? error.message : String(error));
  }
  stop();
}

/** Starts a timer when a signal aborts. Returns a function that cancels both. */
function onAbort(signal: AbortSignal, start: () => Disposable): () => void {
  let timer: Disposable | undefined;
  const begin = (): void => void (timer = start());
  signal.addEventListener("abort", begin, { once: true });
  if (signal.aborted) begin();
  return () => {
    signal.removeEventListener("abort", begin);
    timer?.[Symbol.dispose]();
  };
}

function exitCodeOf(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new CommandStartError(program, error)));
    child.on("exit", (code, name) => resolve(code ?? (name === null ? 1 : exitCodeOfSignal(name))));
  });
}
