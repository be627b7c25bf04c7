import { resolve } from "node:path";
import { type Client, createClient, loadConnection, type ResourceAccess } from "@homeostat/client";
import { type Clock, HomeostatError } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { type Manifest, type Operator, operatorManifests } from "@homeostat/operator";
import { applyAll, removeAll, waitUntilServed } from "./apply-all.ts";
import type { Place } from "./place.ts";

/** Thrown when a cluster cannot be used: it is not reached, or its user may not do what has to be done. */
export class UnusableClusterError extends HomeostatError {
  readonly code = "UNUSABLE_CLUSTER";
}

const definitions = { group: "apiextensions.k8s.io", plural: "customresourcedefinitions" };
const namespaces = { group: "", plural: "namespaces" };

/** What has to be allowed to whoever runs operators from here. The operators ask for the rest themselves. */
const needed: readonly ResourceAccess[] = [
  ...["get", "create", "patch"].map((verb) => ({ verb, type: definitions })),
  ...["get", "create", "patch", "delete"].map((verb) => ({ verb, type: namespaces })),
];

/** Uses a cluster that somebody else runs. Its API server cannot reach this process, so there are no webhooks. */
export async function givenPlace(
  { file, context }: { readonly file: string; readonly context: string | undefined },
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Place> {
  const connection = await loadConnection({ file, ...(context === undefined ? {} : { context }) });
  const client = createClient(connection);
  const made = new Set<string>();
  const title = await titleOf(client, connection.server, signal).catch((error: unknown) => {
    client.close();
    throw error;
  });
  return {
    title,
    url: connection.server,
    kubeconfig: resolve(file),
    client,
    async install(operator, stopping) {
      for (const definition of definitionsOf(operator)) {
        const name = definition.metadata.name ?? "";
        await applyAll(client, [definition], { clock, signal: stopping, onMade: () => made.add(name) });
        await waitUntilServed(client, name, { clock, signal: stopping });
      }
    },
    managerOptions: () => ({
      connection,
      run: { webhooks: false, healthProbeBindAddress: "0", metricsBindAddress: "0" },
    }),
    async takeBack(samples, exhibits, stopping) {
      await removeAll(client, samples, { clock, signal: stopping });
      for (const { operator } of exhibits)
        for (const { metadata } of definitionsOf(operator))
          if (made.has(metadata.name ?? "")) await removeUnused(client, metadata.name ?? "", stopping);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(client.close()),
  };
}

function definitionsOf(operator: Operator): Manifest[] {
  return operatorManifests(operator, { webhooks: false }).filter(({ kind }) => kind === "CustomResourceDefinition");
}

/** Removes a kind that was made here, unless there are objects of it by now. */
async function removeUnused(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const definition = await client.get(CustomResourceDefinition, { name }, { signal });
  if (definition === undefined) return;
  const { group, names } = definition.spec;
  const type = await client.mapper.byKind({ group, kind: names.kind }, signal);
  if (type !== undefined && (await client.list(type, { limit: 1, signal })).items.length > 0) return;
  const { uid } = definition.metadata;
  await client.delete(CustomResourceDefinition, { name }, { preconditions: { uid }, signal });
}

async function titleOf(client: Client, server: string, signal: AbortSignal): Promise<string> {
  let gitVersion;
  try {
    ({ gitVersion } = await client.version({ signal }));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UnusableClusterError(`The cluster at ${server} does not answer: ${problem}`, { cause: error });
  }
  const missing: string[] = [];
  for (const access of needed) {
    const { isAllowed } = await client.reviewOwnAccess(access, { signal });
    const { group, plural } = access.type;
    if (!isAllowed) missing.push(`${access.verb} ${plural}${group === "" ? "" : `.${group}`}`);
  }
  if (missing.length > 0)
    throw new UnusableClusterError(
      `The user of this kubeconfig may not ${missing.join(", ")}. Use one that may, such as a cluster administrator's.`,
    );
  return `Kubernetes ${gitVersion}`;
}
