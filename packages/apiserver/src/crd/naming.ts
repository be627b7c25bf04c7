import { quote } from "@homeostat/cel";
import { isEqual, type JsonRecord } from "@homeostat/core";
import { conditionOf, type FoundCondition, withCondition } from "./conditions.ts";
import { type DefinitionNames, readNames } from "./definition.ts";
import { fieldOf, recordOf, textOf } from "../values/properties.ts";

/**
 * Returns the definition with its accepted names and the conditions about them; the same object if nothing changes.
 *
 * `others` are the definitions of the same group. A name belongs to the definition that got it first.
 */
export function withNames(object: JsonRecord, others: readonly JsonRecord[], nowMs: number): JsonRecord {
  const requested = readNames(fieldOf(recordOf(object, "spec"), "names"));
  const accepted = readNames(fieldOf(recordOf(object, "status"), "acceptedNames"));
  if (isEqual(requested, accepted)) return object;
  const { names, condition } = resolveNames(requested, accepted, [object, ...others]);
  const old = conditionOf(object, "NamesAccepted");
  const isSame = isEqual(names, accepted) && old !== undefined && isUpToDate(old, condition);
  if (isSame) return object;
  const named = { ...object, status: { ...recordOf(object, "status"), acceptedNames: toStatus(names) } };
  const updated = withCondition(named, condition, nowMs);
  return withCondition(updated, established(object, condition), nowMs);
}

function isUpToDate(old: unknown, { status, reason, message }: FoundCondition): boolean {
  return textOf(old, "status") === status && textOf(old, "reason") === reason && textOf(old, "message") === message;
}

/**
 * Determines which requested names are free. If several conflict, the condition reports the last one, as in the real
 * server.
 */
function resolveNames(
  requested: DefinitionNames,
  accepted: DefinitionNames,
  all: readonly JsonRecord[],
): { readonly names: DefinitionNames; readonly condition: FoundCondition } {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const each of all) {
    const names = readNames(fieldOf(recordOf(each, "status"), "acceptedNames"));
    for (const name of [names.plural, names.singular, ...names.shortNames]) resources.add(name);
    for (const name of [names.kind, names.listKind]) kinds.add(name);
  }
  let conflict: { reason: string; message: string } | undefined;
  const choose = (requestedName: string, acceptedName: string, used: ReadonlySet<string>, reason: string): string => {
    if (requestedName === acceptedName || !used.has(requestedName)) return requestedName;
    conflict = { reason, message: inUse(requestedName) };
    return acceptedName;
  };
  const plural = choose(requested.plural, accepted.plural, resources, "PluralConflict");
  const singular = choose(requested.singular, accepted.singular, resources, "SingularConflict");
  const taken = requested.shortNames.filter((name) => !accepted.shortNames.includes(name) && resources.has(name));
  const shortNames = taken.length === 0 ? requested.shortNames : accepted.shortNames;
  if (taken.length > 0) {
    const texts = [...new Set(taken.map(inUse))];
    conflict = {
      reason: "ShortNamesConflict",
      message: texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`,
    };
  }
  const kind = choose(requested.kind, accepted.kind, kinds, "KindConflict");
  const listKind = choose(requested.listKind, accepted.listKind, kinds, "ListKindConflict");
  const names = { plural, singular, shortNames, kind, listKind, categories: requested.categories };
  const type = "NamesAccepted";
  if (conflict !== undefined) return { names, condition: { type, status: "False", ...conflict } };
  return { names, condition: { type, status: "True", reason: "NoConflicts", message: "no conflicts found" } };
}

function inUse(name: string): string {
  return `${quote(name)} is already in use`;
}

/**
 * Returns the condition `Established` that goes with the names: not established yet, either while installing or because
 * of a conflict.
 */
function established(object: JsonRecord, names: FoundCondition): FoundCondition {
  const old = conditionOf(object, "Established");
  const status = textOf(old, "status");
  const type = "Established";
  if (status !== "True" && names.status === "True") {
    return { type, status: "False", reason: "Installing", message: "the initial names have been accepted" };
  }
  if (old === undefined) {
    return { type, status: "False", reason: "NotAccepted", message: "not all names are accepted" };
  }
  const keptStatus = status === "True" || status === "False" ? status : "Unknown";
  return { type, status: keptStatus, reason: textOf(old, "reason"), message: textOf(old, "message") };
}

/** Formats names for the status: empty ones are omitted, except plural and kind. */
function toStatus({ plural, singular, shortNames, kind, listKind, categories }: DefinitionNames): JsonRecord {
  return {
    plural,
    ...(singular === "" ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    kind,
    ...(listKind === "" ? {} : { listKind }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}
