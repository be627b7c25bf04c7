import { quote } from "@homeostat/cel";
import { isEqual, type JsonRecord } from "@homeostat/core";
import { conditionOf, type FoundCondition, withCondition } from "./conditions.ts";
import { type DefinitionNames, readNames } from "./definition.ts";
import { fieldOf, recordOf, textOf } from "./read.ts";

/**
 * The definition with the names it gets, and with conditions that say so; the same object when nothing changes.
 *
 * `others` are the definitions of the same group. A name belongs to whoever got it first.
 */
export function withNames(object: JsonRecord, others: readonly JsonRecord[], nowMs: number): JsonRecord {
  const wanted = readNames(fieldOf(recordOf(object, "spec"), "names"));
  const accepted = readNames(fieldOf(recordOf(object, "status"), "acceptedNames"));
  if (isEqual(wanted, accepted)) return object;
  const { names, condition } = settle(wanted, accepted, [object, ...others]);
  const old = conditionOf(object, "NamesAccepted");
  const isSame = isEqual(names, accepted) && old !== undefined && isSaid(old, condition);
  if (isSame) return object;
  const named = { ...object, status: { ...recordOf(object, "status"), acceptedNames: written(names) } };
  const judged = withCondition(named, condition, nowMs);
  return withCondition(judged, established(object, condition), nowMs);
}

function isSaid(old: unknown, { status, reason, message }: FoundCondition): boolean {
  return textOf(old, "status") === status && textOf(old, "reason") === reason && textOf(old, "message") === message;
}

/** Which of the names wished for are free; of several conflicts the last one found is told. */
function settle(
  wanted: DefinitionNames,
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
  const choose = (wish: string, had: string, used: ReadonlySet<string>, reason: string): string => {
    if (wish === had || !used.has(wish)) return wish;
    conflict = { reason, message: inUse(wish) };
    return had;
  };
  const plural = choose(wanted.plural, accepted.plural, resources, "PluralConflict");
  const singular = choose(wanted.singular, accepted.singular, resources, "SingularConflict");
  const taken = wanted.shortNames.filter((name) => !accepted.shortNames.includes(name) && resources.has(name));
  const shortNames = taken.length === 0 ? wanted.shortNames : accepted.shortNames;
  if (taken.length > 0) {
    const texts = [...new Set(taken.map(inUse))];
    conflict = {
      reason: "ShortNamesConflict",
      message: texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`,
    };
  }
  const kind = choose(wanted.kind, accepted.kind, kinds, "KindConflict");
  const listKind = choose(wanted.listKind, accepted.listKind, kinds, "ListKindConflict");
  const names = { plural, singular, shortNames, kind, listKind, categories: wanted.categories };
  const type = "NamesAccepted";
  if (conflict !== undefined) return { names, condition: { type, status: "False", ...conflict } };
  return { names, condition: { type, status: "True", reason: "NoConflicts", message: "no conflicts found" } };
}

function inUse(name: string): string {
  return `${quote(name)} is already in use`;
}

/** The condition that goes with that of the names: not served yet, for one reason or the other. */
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
  const known = status === "True" || status === "False" ? status : "Unknown";
  return { type, status: known, reason: textOf(old, "reason"), message: textOf(old, "message") };
}

/** Names as a status has them: what is empty is left away, but for the two that are always there. */
function written({ plural, singular, shortNames, kind, listKind, categories }: DefinitionNames): JsonRecord {
  return {
    plural,
    ...(singular === "" ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    kind,
    ...(listKind === "" ? {} : { listKind }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}
