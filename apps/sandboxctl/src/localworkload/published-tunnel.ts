import { findCondition } from "@homeostat/core";
import { LocalWorkload } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import { waitUntil } from "../objects/wait-until.ts";

/** Address and trust of the tunnel server, and the key of the sandbox. */
export interface PublishedTunnel {
  /** Undefined if the tunnel server has no address outside of the cluster. */
  readonly url: string | undefined;
  readonly caSha256: string;
  readonly routingKey: string;
}

/** Reasons of the condition Ready that waiting cannot resolve. */
const fatalReasons: ReadonlySet<string> = new Set(["InvalidSpec", "ServiceUnknown", "PortUnknown"]);

/** Waits until the operator has published the address of the tunnel server. */
export async function waitForTunnel(
  { client }: Cluster,
  { metadata: { namespace = "", name = "" } }: LocalWorkload,
  timeoutMs: number,
  context: CommandContext,
): Promise<PublishedTunnel> {
  return waitUntil(
    {
      what: `LocalWorkload ${namespace}/${name} to have a tunnel server`,
      look: async (signal) => {
        const workload = await client.get(LocalWorkload, { namespace, name }, { signal });
        if (workload === undefined)
          throw new CommandError(`LocalWorkload ${namespace}/${name} was deleted meanwhile`, exitCodes.notFound);
        const { tunnel, routingKey, conditions = [] } = workload.status;
        const ready = findCondition(conditions, "Ready");
        if (ready?.reason === "PolicyDenied")
          throw new CommandError(`LocalWorkload ${namespace}/${name} is denied: ${ready.message}`, exitCodes.refused);
        if (ready !== undefined && fatalReasons.has(ready.reason)) {
          throw new CommandError(
            `LocalWorkload ${namespace}/${name} cannot be used (${ready.reason}): ${ready.message}. Correct it, or delete it and connect again`,
            exitCodes.error,
          );
        }
        const { url, caSha256 = "" } = tunnel ?? {};
        if (caSha256 !== "" && routingKey !== undefined) return { done: { url, caSha256, routingKey } };
        const missing = [
          ...(routingKey === undefined ? ["the routing key of the sandbox"] : []),
          ...(caSha256 === "" ? ["the certificate authority of the tunnel server"] : []),
        ];
        return { missing: `the operator has not published ${missing.join(", ")}` };
      },
      timeoutMs,
      next: `kubectl describe localworkload ${name} -n ${namespace}`,
    },
    context,
  );
}
