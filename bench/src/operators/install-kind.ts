import type { Client } from "@homeostat/client";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import type { RawApi } from "../peers/raw-api.ts";
import { pause } from "../peers/time.ts";

/** A kind, and a way to make some objects of it. */
export interface Kind {
  readonly crd: { readonly metadata: { readonly name: string } };
  /** Where its objects are made. */
  readonly path: string;
  readonly bodyOf: (name: string) => string;
}

/** Makes a kind, and waits until making objects of it is as quick as it gets: the first writes wait for seconds. */
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
