import { ForbiddenError, HomeostatError, releaseVersion } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { systemNamespace } from "@homeostat/sandbox-operator";
import type { Client } from "@homeostat/client";
import { protocolVersions } from "@homeostat/tunnel";
import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { fieldLines } from "../output/describe.ts";
import type { versionFlags } from "./definitions.ts";

/** Prints versions. */
export async function printVersion(input: CommandInput<typeof versionFlags>, context: CommandContext): Promise<number> {
  const { print, note, signal } = context;
  const client = releaseVersion;
  const { min, max } = protocolVersions;
  const protocol = min === max ? String(max) : `${min}-${max}`;
  const versions: Record<string, string> = { client, "tunnel protocol": protocol };
  let failure: HomeostatError | undefined;
  if (!input.isSet("client")) {
    try {
      using cluster = await context.connect(input.connection);
      versions["kubernetes"] = (await cluster.client.version({ signal })).gitVersion;
      const operator = await operatorVersion(cluster.client, signal);
      versions["operator"] = operator;
      if (/^\d/.test(operator) && operator !== client)
        note(`warning: sandboxctl ${client} and operator ${operator} differ; install the same version of both`);
    } catch (error) {
      // The versions of this machine are printed even if the cluster cannot be reached.
      if (!(error instanceof HomeostatError)) throw error;
      failure = error;
    }
  }
  if (input.output === "json") print(JSON.stringify(versions, undefined, 2));
  else for (const line of fieldLines(versions)) print(line);
  if (failure !== undefined) throw failure;
  return exitCodes.done;
}

async function operatorVersion(client: Client, signal: AbortSignal): Promise<string> {
  try {
    const place = { namespace: systemNamespace, name: "sandbox-operator" };
    const operator = await client.get(Deployment, place, { signal });
    if (operator === undefined) return `not installed in ${systemNamespace}`;
    return operator.metadata.labels?.["app.kubernetes.io/version"] ?? "unknown";
  } catch (error) {
    if (error instanceof ForbiddenError) return `unknown: you cannot read Deployments of ${systemNamespace}`;
    throw error;
  }
}
