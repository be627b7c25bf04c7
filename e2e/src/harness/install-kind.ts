import type { Client, ObjectToSend } from "@homeostat/client";
import { NotFoundError } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";

const waitMsMax = 60_000;
const pollMs = 100;

/** Creates a CRD and waits until the API server serves its kind. */
export async function installKind(client: Client, crd: ObjectToSend<CustomResourceDefinition>): Promise<void> {
  await client.create(CustomResourceDefinition, crd);
  await untilServed(client, crd);
}

/**
 * Waits until the API server serves all versions of a kind.
 *
 * The condition Established is not enough: kube-apiserver writes it to etcd first, and its custom resource handler reads CRDs
 * from an informer. Until the informer has seen the condition, requests fail with `404 page not found`.
 */
export async function untilServed(client: Client, { metadata, spec }: Definition): Promise<void> {
  const served = spec.versions.filter((version) => version.served);
  const paths = served.map(({ name }) => `/apis/${spec.group}/${name}/${spec.names.plural}?limit=1`);
  for (let leftMs = waitMsMax; ; leftMs -= pollMs) {
    if ((await Promise.all(paths.map((path) => isFound(client, path)))).every(Boolean)) return;
    if (leftMs <= 0) throw new Error(`The API server did not serve the CRD ${metadata.name ?? ""} within a minute`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

type Definition = Pick<ObjectToSend<CustomResourceDefinition>, "metadata" | "spec">;

async function isFound(client: Client, path: string): Promise<boolean> {
  try {
    (await client.raw({ method: "GET", path })).body.cancel();
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
