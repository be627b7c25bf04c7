import type { KubeObject, ResourceType } from "@homeostat/core";
import { NotFoundError } from "@homeostat/core";
import { LocalWorkload, PreviewLink, RouteGroup, Sandbox, systemNamespace } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { waitUntil } from "../objects/wait-until.ts";
import type { uninstallFlags } from "./flags.ts";
import { restoreAll } from "./restore.ts";

/** Kinds whose objects the operator must clean up while it runs. Tunnels and groups first: they depend on sandboxes. */
const kinds: readonly ResourceType[] = [PreviewLink, LocalWorkload, RouteGroup, Sandbox];
/** The operator is removed afterwards; until then it must not take Services over again. */
const holdMs = 600_000;

/** Deletes all objects of users, and restores all Services. */
export async function adminUninstall(
  input: CommandInput<typeof uninstallFlags>,
  context: CommandContext,
): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { print } = context;
  const doomed = await listAll(cluster, context.signal);
  for (const { type, object } of doomed)
    print(`${type.kind} ${nameOf(object)} ${input.isSet("yes") ? "is being deleted" : "would be deleted"}`);
  if (!input.isSet("yes")) {
    print("Services that are taken over would be restored. Nothing was changed; add --yes to proceed");
    return exitCodes.done;
  }
  for (const { type, object } of doomed) await remove(cluster, type, object, context.signal);
  await untilGone(cluster, input.durationMs("wait-timeout") ?? 0, context);
  const code = await restoreAll(cluster, holdMs, context);
  if (code === exitCodes.done)
    print(`Now remove the operator: helm uninstall sandbox-operator -n ${systemNamespace}, or delete its manifests`);
  return code;
}

interface Listed {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

async function listAll({ client }: Cluster, signal: AbortSignal): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  for (const type of kinds) for await (const object of client.items(type, { signal })) found.push({ type, object });
  return found;
}

async function remove({ client }: Cluster, type: ResourceType, object: KubeObject, signal: AbortSignal): Promise<void> {
  const { namespace = "", name = "", uid } = object.metadata;
  try {
    await client.delete(type, { namespace, name }, { signal, preconditions: { uid } });
  } catch (error) {
    // Expired, or deleted by another user since it was listed.
    if (!(error instanceof NotFoundError)) throw error;
  }
}

function nameOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

async function untilGone(cluster: Cluster, timeoutMs: number, context: CommandContext): Promise<void> {
  await waitUntil(
    {
      what: "all objects to be deleted",
      look: async (signal) => {
        const [first, ...others] = await listAll(cluster, signal);
        if (first === undefined) return { done: undefined };
        const more = others.length === 0 ? "" : ` and ${others.length} more`;
        return { missing: `${first.type.kind} ${nameOf(first.object)}${more} still exist` };
      },
      timeoutMs,
      next: "kubectl get sandboxes,routegroups,localworkloads,previewlinks -A",
    },
    context,
  );
}
