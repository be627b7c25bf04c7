import { UsageError } from "@homeostat/core";
import { Service } from "@homeostat/kubernetes/core/v1";
import { baselineServiceName, isTakenOver, restoreAllServices, restoreService } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { readObject } from "../objects/read-object.ts";
import type { restoreFlags } from "./flags.ts";

/** Attempts for a Service that other clients change at the same time. */
const attemptsMax = 5;

/** Restores one Service, or all. */
export async function adminRestore(input: CommandInput<typeof restoreFlags>, context: CommandContext): Promise<number> {
  const name = input.optionalArgument("SERVICE");
  if ((name === undefined) !== input.isSet("all"))
    throw new UsageError("sandboxctl admin restore requires SERVICE or --all. See sandboxctl admin restore --help.");
  const holdMs = input.durationMs("hold") ?? 0;
  using cluster = await context.connect(input.connection);
  return await (name === undefined ? restoreAll(cluster, holdMs, context) : restoreOne(cluster, name, holdMs, context));
}

/** Restores all Services. Returns the exit code. */
export async function restoreAll(
  { client, serverClock }: Cluster,
  holdMs: number,
  { print, note, signal }: CommandContext,
): Promise<number> {
  const { restored, failed } = await restoreAllServices(client, { holdMs, serverClock, signal });
  for (const key of restored) print(`service ${key} restored`);
  for (const key of failed) note(`Service ${key} could not be restored: ${unknownText}`);
  if (restored.length + failed.length === 0) print("No Service is taken over");
  return failed.length === 0 ? exitCodes.done : exitCodes.error;
}

const unknownText = "its original selector is not recorded, or other clients change it; correct its selector by hand";

async function restoreOne(
  { client, namespace, serverClock }: Cluster,
  name: string,
  holdMs: number,
  { print, signal }: CommandContext,
): Promise<number> {
  const next = `kubectl get services -n ${namespace}`;
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const service = await readObject(Service, { client, namespace, name, signal, next });
    if (!isTakenOver(service)) {
      print(`Service ${namespace}/${name} is not taken over`);
      return exitCodes.done;
    }
    const base = await client.get(Service, { namespace, name: baselineServiceName(name) }, { signal });
    const result = await restoreService(client, service, { base, holdUntil: serverClock.now() + holdMs, signal });
    if (result === "restored") {
      print(`service ${namespace}/${name} restored`);
      return exitCodes.done;
    }
    if (result === "unknown") break;
  }
  throw new CommandError(`Service ${namespace}/${name} could not be restored: ${unknownText}`, exitCodes.error);
}
