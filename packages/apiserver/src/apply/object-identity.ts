import { type GroupVersionKind, isRecord, type JsonRecord, ownValue } from "@homeostat/core";

/** Reports whether an object is stored: only stored objects have a uid. */
export function hasUid(object: JsonRecord): boolean {
  const metadata = ownValue(object, "metadata");
  const uid = isRecord(metadata) ? ownValue(metadata, "uid") : undefined;
  return typeof uid === "string" && uid !== "";
}

/** Returns the kind that an object declares. */
export function gvkIn(object: JsonRecord): GroupVersionKind {
  const apiVersion = ownValue(object, "apiVersion");
  const kind = ownValue(object, "kind");
  const parts = typeof apiVersion === "string" ? apiVersion.split("/") : [""];
  // The real server then discards the kind too.
  if (parts.length > 2) return { group: "", version: "", kind: "" };
  const version = parts.at(-1) ?? "";
  return { group: parts.length === 2 ? (parts[0] ?? "") : "", version, kind: typeof kind === "string" ? kind : "" };
}

/** Formats a kind as messages do: `apps/v1, Kind=Deployment`. */
export function gvkText({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** Formats an object as messages do: `default/web; apps/v1, Kind=Deployment`. */
export function objectText(object: JsonRecord): string {
  const metadata = ownValue(object, "metadata");
  const part = (name: string): string => {
    const value = isRecord(metadata) ? ownValue(metadata, name) : undefined;
    return typeof value === "string" ? value : "";
  };
  return `${part("namespace")}/${part("name")}; ${gvkText(gvkIn(object))}`;
}
