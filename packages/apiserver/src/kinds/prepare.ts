// Fields that the server sets or restores on writes, regardless of what the client sent.

import { isRecord, type JsonRecord } from "@homeostat/core";
import type { BuiltInKind } from "../resources/resource.ts";
import { carryOver } from "./updates/carry-over.ts";
import { partOf } from "./defaulting/fill.ts";
import { strategyOf } from "./strategies.ts";
import type { CreateContext, FieldPaths, StatusStrategy } from "./strategy.ts";

/**
 * Sets, in place and after defaults, the fields of a new object that the server owns: an initial status, the selector of a Job,
 * the QoS class of a pod.
 *
 * Fields that depend on the state of the cluster, such as addresses of Services, are set by admission.
 */
export function prepareForCreate(kind: BuiltInKind, object: JsonRecord, context: CreateContext): void {
  const { keepsStatusOnCreate, prepareForCreate: prepare } = strategyOf(kind);
  if (kind.hasStatus && keepsStatusOnCreate !== true) delete object["status"];
  prepare?.(object, context);
}

/**
 * Restores, in place and after defaults, the fields of an updated object that only the server or a subresource may change: the status,
 * the finalizers of a Namespace, the addresses of a Service.
 */
export function prepareForUpdate(kind: BuiltInKind, object: JsonRecord, old: JsonRecord): void {
  if (kind.hasStatus) carryOver(object, old, "status");
  strategyOf(kind).prepareForUpdate?.(object, old);
}

/** Restores, in place, everything but the part that a subresource writes. */
export function prepareSubresource(
  kind: BuiltInKind,
  object: JsonRecord,
  old: JsonRecord,
  { subresource, nowMs }: { readonly subresource: string; readonly nowMs: number },
): void {
  const own = subresource === "status" || subresource === "approval" ? "status" : "spec";
  for (const key of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (key === "apiVersion" || key === "kind" || key === "metadata" || key === own) continue;
    carryOver(object, old, key);
  }
  const metadata = partOf(object, "metadata");
  const { keptMetadata = [], prepare } = statusStrategyOf(kind, subresource) ?? {};
  const before = isRecord(old["metadata"]) ? old["metadata"] : {};
  for (const field of keptMetadata) carryOver(metadata, before, field);
  prepare?.(object, old, { nowMs });
}

/** Returns the fields that a write resets, which server-side apply must not own; `subresource` is empty for the object itself. */
export function subresourceResets(kind: BuiltInKind, subresource: string): FieldPaths {
  const { resetFields, status } = strategyOf(kind);
  switch (subresource) {
    case "":
      return resetFields ?? (kind.hasStatus ? [["status"]] : []);
    case "status":
      return status?.resetFields ?? [["spec"]];
    default:
      return statusStrategyOf(kind, subresource)?.resetFields ?? [["status"]];
  }
}

/** Returns the strategy of a subresource that writes the status. */
export function statusStrategyOf(kind: BuiltInKind, subresource: string): StatusStrategy | undefined {
  if (subresource === "status") return strategyOf(kind).status;
  return subresource === "approval" ? strategyOf(kind).approval : undefined;
}
