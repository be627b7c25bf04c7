import type { Client } from "@homeostat/client";
import { at } from "./browser-like.ts";

/** Returns a token of a service account. */
export async function createToken(
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const response = await client.raw({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }),
  });
  let text = "";
  for await (const chunk of response.body) text += Buffer.from(chunk).toString("utf8");
  return String(at(JSON.parse(text), "status", "token"));
}
