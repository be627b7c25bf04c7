import { readOwnUser, Sandbox } from "@homeostat/sandbox-operator";
import { tryParseTime } from "@homeostat/core";
import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import type { listFlags } from "../command/shared-flags.ts";
import { selectorOf } from "../objects/selector.ts";
import { printObjects } from "../output/print-objects.ts";
import { sandboxColumns } from "./columns.ts";
import type { sandboxListFlags } from "./flags.ts";

/** Lists sandboxes. */
export async function listSandboxes(
  input: CommandInput<typeof listFlags & typeof sandboxListFlags>,
  context: CommandContext,
): Promise<number> {
  const labelSelector = selectorOf(input.text("selector"));
  const withinMs = input.durationMs("expiring");
  const isAll = input.isSet("all-namespaces");
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { signal, clock } = context;
  const [{ items }, user] = await Promise.all([
    client.list(Sandbox, { ...(isAll ? {} : { namespace }), labelSelector, signal }),
    input.isSet("mine") ? readOwnUser(client, signal) : undefined,
  ]);
  const now = clock.now();
  const objects = items.filter(({ status }) => {
    const expiresAt = status.expiresAt === undefined ? undefined : tryParseTime(status.expiresAt);
    const isSoon = withinMs === undefined || (expiresAt !== undefined && expiresAt - now <= withinMs);
    return isSoon && (user === undefined || status.createdBy === user.username);
  });
  printObjects(
    {
      objects,
      columns: sandboxColumns(now, isAll),
      output: input.output,
      resource: "sandbox",
      none: isAll ? "No sandboxes found" : `No sandboxes found in namespace ${namespace}`,
    },
    context,
  );
  return exitCodes.done;
}
