import { spawn } from "node:child_process";
import { findCondition } from "@homeostat/core";
import { LocalWorkload } from "@homeostat/sandbox-operator";
import type { TunnelEnd } from "@homeostat/tunnel";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { waitUntil } from "../objects/wait-until.ts";
import { curlCommand } from "../sandbox/curl-line.ts";
import { startInBackground } from "./background.ts";
import { type connectFlags, targetFlags, tunnelFlags, waitChoices } from "./flags.ts";
import { openTunnel, type OpenTunnel } from "./open-tunnel.ts";

/** Connects this machine and runs until it is interrupted. */
export async function connectLocal(
  input: CommandInput<typeof targetFlags & typeof tunnelFlags & typeof connectFlags>,
  context: CommandContext,
): Promise<number> {
  if (input.isSet("background")) return startInBackground(input, context, spawn);
  using cluster = await context.connect(input.connection);
  await using tunnel = await openTunnel(cluster, input.part({ ...targetFlags, ...tunnelFlags }), context);
  const wait = input.choice("wait", waitChoices);
  await untilReady(cluster, tunnel, { wait, timeoutMs: input.durationMs("wait-timeout") ?? 0 }, context);
  for (const line of summary(tunnel)) context.print(line);
  await tunnel.announce();
  return endOf(await tunnel.ended, context);
}

/** Waits until the tunnel is attached, and with `ready` until requests reach this machine. */
export async function untilReady(
  { client }: Cluster,
  tunnel: OpenTunnel,
  { wait, timeoutMs }: { readonly wait: (typeof waitChoices)[number]; readonly timeoutMs: number },
  context: CommandContext,
): Promise<void> {
  if (wait === "none") return;
  const { namespace = "", name = "" } = tunnel.prepared.workload.metadata;
  let isAttached = false;
  let failure: Error | undefined;
  void tunnel.attached.then(() => (isAttached = true));
  void tunnel.ended.catch(
    (error: unknown) => (failure = error instanceof Error ? error : new TypeError("not an error", { cause: error })),
  );
  await waitUntil(
    {
      what: `LocalWorkload ${namespace}/${name} to be ${wait === "ready" ? "ready" : "attached"}`,
      look: async (signal) => {
        if (failure !== undefined) throw failure;
        if (!isAttached) return { missing: "the tunnel is not attached yet" };
        if (wait === "tunnel") return { done: undefined };
        const workload = await client.get(LocalWorkload, { namespace, name }, { signal });
        const ready = findCondition(workload?.status.conditions ?? [], "Ready");
        if (ready?.status === "True") return { done: undefined };
        return { missing: `${ready?.reason ?? "Pending"}: ${ready?.message ?? "no condition is reported yet"}` };
      },
      timeoutMs,
      next: `kubectl describe localworkload ${name} -n ${namespace}`,
    },
    context,
  );
}

/** Returns lines about a tunnel: key, ports, proxy and a request. */
export function summary({ prepared, routingKey, ports, proxyAddress }: OpenTunnel): readonly string[] {
  const { name: service } = prepared.workload.spec.service;
  return [
    `Routing key ${routingKey}`,
    ...ports.map(
      ({ name, host, port, containerPort }) => `${service} port ${containerPort} (${name}) -> ${host}:${port}`,
    ),
    `Proxy into the cluster: http://${proxyAddress} and socks5h://${proxyAddress}`,
    ...(prepared.address === undefined ? [] : [`Send a request: ${curlCommand({ routingKey, ...prepared.address })}`]),
  ];
}

/** Returns the exit code of a tunnel that has ended. */
export function endOf(end: TunnelEnd | undefined, { note }: Pick<CommandContext, "note">): number {
  if (end === undefined) {
    note("Disconnected");
    return exitCodes.done;
  }
  const detail = end.detail === "" ? "" : `: ${end.detail}`;
  if (end.reason === "Deleted" || end.reason === "ClientLeft") {
    note(`The LocalWorkload was deleted${detail}`);
    return exitCodes.done;
  }
  throw new CommandError(
    `The tunnel server has ended the tunnel (${end.reason})${detail}. Check your permissions and the LocalWorkload, and connect again`,
    exitCodes.refused,
  );
}
