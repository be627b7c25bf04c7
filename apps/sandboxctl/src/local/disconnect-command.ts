import { UsageError } from "@homeostat/core";
import { LocalWorkload, Sandbox } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { waitUntil } from "../objects/wait-until.ts";
import type { disconnectFlags } from "./flags.ts";
import { isRunning, readStates, removeFiles, removeState, requestStop, type TunnelState } from "../state/state-file.ts";

/** Disconnects tunnels of this machine. */
export async function disconnectLocal(
  input: CommandInput<typeof disconnectFlags>,
  context: CommandContext,
): Promise<number> {
  const chosen = chosenTunnels(await readStates(context.machine.stateFolder), input);
  if (chosen.length === 0) context.note("No tunnels on this machine");
  for (const state of chosen) {
    await stop(state, input.durationMs("wait-timeout") ?? 0, context);
    // The kubeconfig of the tunnel, unless the command line names another one.
    const { kubeconfig = state.kubeconfig, context: name = state.context } = input.connection;
    using cluster = await context.connect({
      ...input.connection,
      kubeconfig: kubeconfig === "" ? undefined : kubeconfig,
      context: name === "" ? undefined : name,
    });
    await removeObjects(cluster, state, input.isSet("delete-sandbox"), context);
    // Kept until the objects are deleted, so the command can be repeated if that fails.
    await removeFiles(state);
    await removeState(context.machine.stateFolder, state);
  }
  return exitCodes.done;
}

/** Returns the tunnels that the command line names. Throws a {@link UsageError} if the choice is ambiguous. */
function chosenTunnels(
  states: readonly TunnelState[],
  input: CommandInput<typeof disconnectFlags>,
): readonly TunnelState[] {
  const name = input.optionalArgument("NAME");
  const { namespace } = input.connection;
  if (name !== undefined && input.isSet("all"))
    throw new UsageError("sandboxctl local disconnect accepts NAME or --all, not both.");
  if (name === undefined) {
    if (states.length > 1 && !input.isSet("all")) {
      const names = states.map((state) => state.name).join(", ");
      throw new UsageError(
        `This machine has the tunnels ${names}; sandboxctl local disconnect requires NAME or --all.`,
      );
    }
    return states;
  }
  const named = states.filter((state) => state.name === name);
  if (named.length === 0) {
    throw new CommandError(`This machine has no tunnel ${name}. See sandboxctl local status`, exitCodes.notFound);
  }
  const inNamespace = named.filter((state) => state.namespace === namespace);
  if (named.length > 1 && inNamespace.length !== 1) {
    const namespaces = named.map((state) => state.namespace).join(", ");
    throw new UsageError(
      `This machine has tunnels ${name} in the namespaces ${namespaces}; choose one with --namespace.`,
    );
  }
  return inNamespace.length === 1 ? inNamespace : named;
}

/** Deletes the objects of a tunnel that has stopped. */
async function removeObjects(
  { client }: Cluster,
  state: TunnelState,
  deletesSandbox: boolean,
  { signal, print, note }: CommandContext,
): Promise<void> {
  const { namespace, name, uid } = state;
  const workload = await client.get(LocalWorkload, { namespace, name }, { signal });
  if (workload?.metadata.uid === uid && workload.metadata.deletionTimestamp === undefined) {
    if (state.isOwn) await client.delete(LocalWorkload, { namespace, name }, { signal, preconditions: { uid } });
    else note(`LocalWorkload ${namespace}/${name} is kept: this machine has not created it`);
  }
  print(`localworkload/${name} disconnected`);
  if (!deletesSandbox) return;
  const place = { namespace, name: state.sandbox };
  const sandbox = await client.get(Sandbox, place, { signal });
  if (sandbox === undefined) return;
  await client.delete(Sandbox, place, { signal, preconditions: { uid: sandbox.metadata.uid } });
  print(`sandbox/${state.sandbox} is being deleted`);
}

/** Asks the process of a tunnel to stop, and waits until it has. */
async function stop(state: TunnelState, timeoutMs: number, context: CommandContext): Promise<void> {
  const { clock, machine } = context;
  if (!isRunning(state, clock)) return;
  await requestStop(machine.stateFolder, state);
  return waitUntil(
    {
      what: `the tunnel ${state.name} to stop`,
      look: async () => {
        const states = await readStates(machine.stateFolder);
        const isLeft = states.some((each) => each.uid === state.uid && isRunning(each, clock));
        return isLeft ? { missing: `process ${state.pid} still runs` } : { done: undefined };
      },
      timeoutMs,
      next: "sandboxctl local status",
    },
    context,
  );
}
