import { utf8Length } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import type { Problem } from "@homeostat/schema";
import type { Query } from "./query.ts";
import { readBoolean, readInteger } from "./read-parameter.ts";
import {
  badRequest,
  forbidden,
  invalidOptions,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "./option-problem.ts";

/** What happens to fields of a written object that its schema does not have. */
export type FieldValidation = "" | "Ignore" | "Warn" | "Strict";

/** What every write asks for. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** Empty when the request does not say; the server then takes the program's name. */
  readonly fieldManager: string;
  /** Empty means `Warn`. */
  readonly fieldValidation: FieldValidation;
}

/** What a patch asks for. */
export interface PatchOptions extends WriteOptions {
  /** Of an apply: take fields away from their managers. */
  readonly force?: boolean;
}

/** What happens to what an object owns when it goes. */
export type PropagationPolicy = "Foreground" | "Background" | "Orphan";

/** What a deletion asks for. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: PropagationPolicy;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** What a read of one object asks for. */
export interface GetOptions {
  readonly resourceVersion: string;
}

/** The options of a create, checked. Throws a `StatusError` (422) that names everything that is wrong. */
export function decodeCreateOptions(query: Query): WriteOptions {
  return writeOptions(query, "CreateOptions", []);
}

/** The options of an update, checked. Throws a `StatusError` (422) that names everything that is wrong. */
export function decodeUpdateOptions(query: Query): WriteOptions {
  return writeOptions(query, "UpdateOptions", []);
}

/** The options of a patch, checked; an apply needs a field manager. Throws a `StatusError` (422). */
export function decodePatchOptions(query: Query, { isApply }: { readonly isApply: boolean }): PatchOptions {
  const force = readBoolean(query, "force");
  const problems: Problem[] = [];
  if (isApply && (query.first("fieldManager") ?? "") === "") {
    problems.push(required("fieldManager", "is required for apply patch"));
  }
  if (!isApply && force !== undefined) problems.push(forbidden("force", "may not be specified for non-apply patch"));
  return { ...writeOptions(query, "PatchOptions", problems), ...(force === undefined ? {} : { force }) };
}

/** The options of a read. Throws a `StatusError` (400) for `export`, which is gone. */
export function decodeGetOptions(query: Query): GetOptions {
  if (readBoolean(query, "export") ?? false) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  return { resourceVersion: query.first("resourceVersion") ?? "" };
}

/** The options of a deletion whose body has none, as they are written. Throws a `StatusError` (400) for a bad number. */
export function readDeleteOptions(query: Query): WrittenDeleteOptions {
  const gracePeriodSeconds = readInteger(query, "gracePeriodSeconds");
  const orphanDependents = readBoolean(query, "orphanDependents");
  const propagationPolicy = query.first("propagationPolicy");
  const uid = query.first("uid") ?? "";
  const resourceVersion = query.first("resourceVersion") ?? "";
  const preconditions = { ...(uid === "" ? {} : { uid }), ...(resourceVersion === "" ? {} : { resourceVersion }) };
  return {
    dryRun: query.all("dryRun"),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(uid === "" && resourceVersion === "" ? {} : { preconditions }),
  };
}

/** Options of a deletion before they are checked, from the query or from a body. */
export interface WrittenDeleteOptions extends Omit<DeleteOptions, "dryRun" | "propagationPolicy"> {
  readonly dryRun: readonly string[];
  readonly propagationPolicy?: string;
}

/** The options of a deletion, checked. Throws a `StatusError` (422) that names everything that is wrong. */
export function checkDeleteOptions(written: WrittenDeleteOptions): DeleteOptions {
  const { propagationPolicy: policy, dryRun, ...rest } = written;
  const problems: Problem[] = [];
  if (policy !== undefined && written.orphanDependents !== undefined) {
    problems.push(
      invalidValue("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  }
  if (policy !== undefined && !isPolicy(policy)) {
    problems.push(notSupported("propagationPolicy", quote(policy), ["Foreground", "Background", "Orphan", "nil"]));
  }
  problems.push(...dryRunProblems(dryRun));
  if (problems.length > 0) throw invalidOptions("DeleteOptions", problems);
  const isDry = dryRun.length > 0;
  return { ...rest, dryRun: isDry, ...(policy !== undefined && isPolicy(policy) ? { propagationPolicy: policy } : {}) };
}

/** The options of a deletion from its query, checked. Throws a `StatusError`. */
export function decodeDeleteOptions(query: Query): DeleteOptions {
  return checkDeleteOptions(readDeleteOptions(query));
}

function isPolicy(text: string): text is PropagationPolicy {
  return text === "Foreground" || text === "Background" || text === "Orphan";
}

function isFieldValidation(text: string): text is FieldValidation {
  return text === "" || text === "Ignore" || text === "Strict" || text === "Warn";
}

function writeOptions(query: Query, kind: string, before: readonly Problem[]): WriteOptions {
  const fieldManager = query.first("fieldManager") ?? "";
  const fieldValidation = query.first("fieldValidation") ?? "";
  const dryRun = query.all("dryRun");
  const problems = [...before, ...managerProblems(fieldManager), ...dryRunProblems(dryRun)];
  const isKnown = isFieldValidation(fieldValidation);
  if (!isKnown) {
    problems.push(notSupported("fieldValidation", quote(fieldValidation), ["", "Ignore", "Strict", "Warn"]));
  }
  if (problems.length > 0 || !isKnown) throw invalidOptions(kind, problems);
  return { dryRun: dryRun.length > 0, fieldManager, fieldValidation };
}

function dryRunProblems(values: readonly string[]): Problem[] {
  if (values.every((value) => value === "All")) return [];
  // A list is shown as JSON, in which Go escapes what could be HTML.
  const shown = JSON.stringify(values).replace(
    /[<>&]/g,
    (letter) => `\\u00${letter.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return [notSupported("dryRun", shown, ["All"])];
}

const managerLengthMax = 128;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function managerProblems(manager: string): Problem[] {
  const field = "fieldManager";
  const problems: Problem[] = [];
  if (utf8Length(manager) > managerLengthMax) problems.push(tooLong(field, managerLengthMax));
  let at = 0;
  for (const character of manager) {
    if (!printable.test(character)) {
      const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      problems.push(invalidValue(field, manager, `invalid character U+${point} (at position ${at})`));
      // Each problem repeats the whole name: a long one of nothing else would make an answer of its square.
      if (problems.length > problemsMax) break;
    }
    at += utf8Length(character);
  }
  return problems;
}

const problemsMax = 256;
