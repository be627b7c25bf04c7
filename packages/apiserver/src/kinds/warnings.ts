import type { JsonRecord } from "@homeostat/core";
import type { BuiltInKind } from "../resources/resource.ts";
import { strategyOf } from "./strategies.ts";

/** Returns the warnings for the client that writes an object of a built-in kind. */
export function kindWarnings(kind: BuiltInKind, object: JsonRecord, old: JsonRecord | undefined): readonly string[] {
  return strategyOf(kind).warnings?.(object, old) ?? [];
}
