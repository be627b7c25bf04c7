import { isRecord, type JsonRecord, ownValue } from "@homeostat/core";

/** Returns namespace and name of a stored pod; empty texts when they are missing. */
export function podKey(pod: JsonRecord): { readonly namespace: string; readonly name: string } {
  const metadata = ownValue(pod, "metadata");
  const text = (field: string): string => {
    const value = isRecord(metadata) ? ownValue(metadata, field) : undefined;
    return typeof value === "string" ? value : "";
  };
  return { namespace: text("namespace"), name: text("name") };
}
