import { type GroupVersionKind, isRecord, type JsonRecord, ownValue } from "@homeostat/core";

/** Whether an object is stored: what is not has no uid. */
export function hasUid(object: JsonRecord): boolean {
  const metadata = ownValue(object, "metadata");
  const uid = isRecord(metadata) ? ownValue(metadata, "uid") : undefined;
  return typeof uid === "string" && uid !== "";
}

/** The kind an object says it is of. */
export function gvkIn(object: JsonRecord): GroupVersionKind {
  const apiVersion = ownValue(object, "apiVersion");
  const kind = ownValue(object, "kind");
  const parts = typeof apiVersion === "string" ? apiVersion.split("/") : [""];
  // A malformed version leaves nothing to go by, not even the kind.
  if (parts.length > 2) return { group: "", version: "", kind: "" };
  const version = parts.at(-1) ?? "";
  return { group: parts.length === 2 ? (parts[0] ?? "") : "", version, kind: typeof kind === "string" ? kind : "" };
}

/** A kind as messages name it: `apps/v1, Kind=Deployment`. */
export function gvkText({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** An object as messages name it: `default/web; apps/v1, Kind=Deployment`. */
export function objectText(object: JsonRecord): string {
  const metadata = ownValue(object, "metadata");
  const part = (name: string): string => {
    const value = isRecord(metadata) ? ownValue(metadata, name) : undefined;
    return typeof value === "string" ? value : "";
  };
  return `${part("namespace")}/${part("name")}; ${gvkText(gvkIn(object))}`;
}
