import { UsageError } from "@homeostat/core";
import { LocalWorkload, Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { waitUntil } from "../objects/wait-until.ts";
import type { disconnectFlags } from "./flags.ts";
import { readStates, removeState, requestStop, staleMs, type TunnelState } from "./state-file.ts";

/** Disconnects tunnels of this machine. */
export async function disconnectLocal(
  input: CommandInput<typeof disconnectFlags>,
  context: CommandContext,
): Promise<number> {
  const name = input.optionalArgument("NAME");
  if ((name !== undefined) === input.isSet("all"))
    throw new UsageError("sandboxctl local disconnect requires NAME or --all. See sandboxctl local status.");
  const states = await readStates(context.machine.stateFolder);
  const { namespace } = input.connection;
  const chosen = states.filter(
    (state) =>
      (name === undefined || state.name === name) && (namespace === undefined || state.namespace === namespace),
  );
  if (chosen.length === 0) {
    if (name === undefined) {
      context.note("No tunnels on this machine");
      return exitCodes.done;
    }
    throw new CommandError(`This machine has no tunnel ${name}. See sandboxctl local status`, exitCodes.notFound);
  }
  using cluster = await context.connect(input.connection);
  const { client } = cluster;
  const { signal } = context;
  for (const state of chosen) {
    await stop(state, input.durationMs("wait-timeout") ?? 0, context);
    const place = { namespace: state.namespace, name: state.name };
    const workload = await client.get(LocalWorkload, place, { signal });
    if (workload !== undefined) {
      const { uid } = workload.metadata;
      await client.delete(LocalWorkload, place, { signal, preconditions: { uid } });
    }
    context.print(`localworkload/${state.name} disconnected`);
    if (!input.isSet("delete-sandbox")) continue;
    const sandbox = await client.get(Sandbox, { ...place, name: state.sandbox }, { signal });
    if (sandbox === undefined) continue;
    const { uid } = sandbox.metadata;
    await client.delete(Sandbox, { ...place, name: state.sandbox }, { signal, preconditions: { uid } });
    context.print(`sandbox/${state.sandbox} is being deleted`);
  }
  return exitCodes.done;
}

/** Asks the process of a tunnel to stop, and waits until it has. The state of a process that has crashed is removed. */
async function stop(state: TunnelState, timeoutMs: number, context: CommandContext): Promise<void> {
  const { clock, machine } = context;
  const isRunning = (each: TunnelState): boolean =>
    each.namespace === state.namespace && each.name === state.name && clock.now() - each.refreshedAt <= staleMs;
  if (!isRunning(state)) return removeState(machine.stateFolder, state);
  await requestStop(machine.stateFolder, state);
  return waitUntil(
    {
      what: `the tunnel ${state.name} to stop`,
      look: async () => {
        const isLeft = (await readStates(machine.stateFolder)).some(isRunning);
        return isLeft ? { missing: `process ${state.pid} still runs` } : { done: undefined };
      },
      timeoutMs,
      next: "sandboxctl local status",
    },
    context,
  );
}
