// Waits until a Sandbox is ready, and reports what is missing.

import { type Condition, findCondition } from "@homeostat/core";
import { Sandbox } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import { waitUntil } from "../objects/wait-until.ts";

/** Waits until a sandbox is ready with its current spec. Throws if it has failed, and with the exit code 4 after the timeout. */
export async function waitForSandbox(
  { client, namespace }: Cluster,
  name: string,
  timeoutMs: number,
  context: CommandContext,
): Promise<Sandbox> {
  const next = `sandboxctl sandbox get ${name} -n ${namespace}`;
  return waitUntil(
    {
      what: `Sandbox ${namespace}/${name} to be ready`,
      look: async (signal) => {
        const sandbox = await client.get(Sandbox, { namespace, name }, { signal });
        if (sandbox === undefined)
          throw new CommandError(`Sandbox ${namespace}/${name} was deleted while it started`, exitCodes.notFound);
        const { status } = sandbox;
        if (status.observedGeneration !== sandbox.metadata.generation)
          return { missing: "the operator has not seen the change yet" };
        const ready = findCondition(status.conditions ?? [], "Ready");
        if (ready?.status === "True" || sandbox.spec.suspend) return { done: sandbox };
        if (status.phase === "Failed") {
          throw new CommandError(
            `Sandbox ${namespace}/${name} has failed: ${textOf(ready)}. See ${next}`,
            exitCodes.error,
          );
        }
        return { missing: missingText(sandbox) };
      },
      timeoutMs,
      next,
    },
    context,
  );
}

/** Returns what a sandbox that is not ready waits for: the reason, and the entries that are not ready. */
export function missingText({ status }: Sandbox): string {
  const ready = findCondition(status.conditions ?? [], "Ready");
  const entries = (status.services ?? [])
    .filter((entry) => entry.status !== "Ready" && entry.status !== "Idle")
    .map((entry) => `${entry.name} is ${entry.status}${entry.message === undefined ? "" : ` (${entry.message})`}`);
  return [textOf(ready), ...entries].join("; ");
}

function textOf(condition: Condition | undefined): string {
  if (condition === undefined) return "no condition is reported yet";
  return `${condition.type} is ${condition.status} (${condition.reason}): ${condition.message}`;
}
