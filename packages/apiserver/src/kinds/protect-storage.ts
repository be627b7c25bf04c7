import type { JsonRecord } from "@homeostat/core";
import { listAt } from "../values/fields.ts";
import { builtInByKind } from "./built-in-kinds.ts";
import { partOf } from "./defaulting/fill.ts";
import { strategyOf } from "./strategies.ts";

/** Adds, in place, the finalizer that protects a volume or claim in use from removal. Admission does the same for new objects. */
export function protectStorage(object: JsonRecord, kind: "PersistentVolume" | "PersistentVolumeClaim"): void {
  const found = builtInByKind("", "v1", kind);
  const finalizer = found === undefined ? undefined : strategyOf(found).protectionFinalizer;
  const metadata = partOf(object, "metadata");
  const finalizers = listAt(metadata, "finalizers");
  if (finalizer !== undefined && !finalizers.includes(finalizer)) metadata["finalizers"] = [...finalizers, finalizer];
}
