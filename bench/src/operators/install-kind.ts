import type { Client } from "@homeostat/client";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import type { RawApi } from "../peers/raw-api.ts";
import { pause } from "../peers/time.ts";

/** A CRD and a way to create objects of its kind. */
export interface Kind {
  readonly crd: { readonly metadata: { readonly name: string } };
  /** API path of its objects. */
  readonly path: string;
  readonly bodyOf: (name: string) => string;
}

/** Installs a CRD and waits until writes are fast: the first writes of a new kind take seconds. */
export async function installKind(
  api: RawApi,
  client: Client,
  { crd, path, bodyOf }: Kind,
  signal: AbortSignal,
): Promise<void> {
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await api.must({ method: "POST", path: definitions, body: JSON.stringify(crd) }, signal);
  const { name } = crd.metadata;
  const isEstablished = async (): Promise<boolean> => {
    const found = await client.get(CustomResourceDefinition, { name });
    return found?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
  };
  while (!((await isEstablished()) && (await api.isOk(path)))) await pause(100, signal);
  for (let i = 0; i < 20; i += 1) await api.must({ method: "POST", path, body: bodyOf(`warm-${i}`) }, signal);
  await api.must({ method: "DELETE", path }, signal);
}
