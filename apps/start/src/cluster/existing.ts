import { resolve } from "node:path";
import { type Client, createClient, loadConnection, type ResourceAccess } from "@homeostat/client";
import { type Clock, HomeostatError } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { type Manifest, type Operator, operatorManifests } from "@homeostat/operator";
import { applyAll, removeAll, waitUntilServed } from "./apply-all.ts";
import { debugAddress, type TargetCluster } from "./target-cluster.ts";

/** Thrown when a cluster cannot be used: it is unreachable, or the user lacks permissions. */
export class UnusableClusterError extends HomeostatError {
  readonly code = "UNUSABLE_CLUSTER";
}

const definitions = { group: "apiextensions.k8s.io", plural: "customresourcedefinitions" };
const namespaces = { group: "", plural: "namespaces" };

/** Permissions the user needs to install the operators. The operators check the rest themselves when they start. */
const requiredAccess: readonly ResourceAccess[] = [
  ...["get", "create", "patch"].map((verb) => ({ verb, type: definitions })),
  ...["get", "create", "patch", "delete"].map((verb) => ({ verb, type: namespaces })),
];

/** Connects to an existing cluster. Its API server cannot reach this process, so webhooks are not installed. */
export async function connectExisting(
  { file, context }: { readonly file: string; readonly context: string | undefined },
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<TargetCluster> {
  const connection = await loadConnection({ file, ...(context === undefined ? {} : { context }) });
  const client = createClient(connection);
  const createdDefinitions = new Set<string>();
  const title = await connectAndDescribe(client, connection.server, signal).catch((error: unknown) => {
    client.close();
    throw error;
  });
  return {
    title,
    url: connection.server,
    kubeconfig: resolve(file),
    client,
    connection,
    async install(operator, stopping) {
      for (const definition of definitionsOf(operator)) {
        const name = definition.metadata.name ?? "";
        await applyAll(client, [definition], {
          clock,
          signal: stopping,
          onCreated: () => createdDefinitions.add(name),
        });
        await waitUntilServed(client, name, { clock, signal: stopping });
      }
    },
    managerOptions: () => ({
      connection,
      run: { webhooks: false, healthProbeBindAddress: debugAddress, metricsBindAddress: "0" },
    }),
    async cleanUp(samples, demos, stopping) {
      await removeAll(client, samples, { clock, signal: stopping });
      for (const { operator } of demos)
        for (const { metadata } of definitionsOf(operator))
          if (createdDefinitions.has(metadata.name ?? "")) await removeUnused(client, metadata.name ?? "", stopping);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(client.close()),
  };
}

function definitionsOf(operator: Operator): Manifest[] {
  return operatorManifests(operator, { webhooks: false }).filter(({ kind }) => kind === "CustomResourceDefinition");
}

/** Removes a CRD that this program created, unless objects of its kind exist. */
async function removeUnused(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const definition = await client.get(CustomResourceDefinition, { name }, { signal });
  if (definition === undefined) return;
  const { group, names } = definition.spec;
  const type = await client.mapper.byKind({ group, kind: names.kind }, signal);
  if (type !== undefined && (await client.list(type, { limit: 1, signal })).items.length > 0) return;
  const { uid } = definition.metadata;
  await client.delete(CustomResourceDefinition, { name }, { preconditions: { uid }, signal });
}

async function connectAndDescribe(client: Client, server: string, signal: AbortSignal): Promise<string> {
  let gitVersion;
  try {
    ({ gitVersion } = await client.version({ signal }));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UnusableClusterError(`Cannot reach the cluster at ${server}: ${problem}`, { cause: error });
  }
  const missing: string[] = [];
  for (const access of requiredAccess) {
    const { isAllowed } = await client.reviewOwnAccess(access, { signal });
    const { group, plural } = access.type;
    if (!isAllowed) missing.push(`${access.verb} ${plural}${group === "" ? "" : `.${group}`}`);
  }
  if (missing.length > 0)
    throw new UnusableClusterError(
      `The user of this kubeconfig lacks permissions: ${missing.join(", ")}. Use a kubeconfig that has them, such as a cluster administrator's.`,
    );
  return `Kubernetes ${gitVersion}`;
}
