import type { Client, ObjectToSend } from "@homeostat/client";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";

const waitMsMax = 60_000;
const pollMs = 200;

/** Creates a CRD and waits until the API server serves its kind. */
export async function installKind(client: Client, crd: ObjectToSend<CustomResourceDefinition>): Promise<void> {
  const name = crd.metadata.name ?? "";
  await client.create(CustomResourceDefinition, crd);
  for (let leftMs = waitMsMax; ; leftMs -= pollMs) {
    const found = await client.get(CustomResourceDefinition, { name });
    if (found?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true)
      return;
    if (leftMs <= 0) throw new Error(`The CRD ${name} was not established within a minute`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
