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

/** Treatment of fields in a written object that its schema does not have. */
export type FieldValidation = "" | "Ignore" | "Warn" | "Strict";

/** Options of create, update and patch requests. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** Empty if the request has none; the server then uses the name of the client program. */
  readonly fieldManager: string;
  /** Empty means `Warn`. */
  readonly fieldValidation: FieldValidation;
}

/** Options of a patch request. */
export interface PatchOptions extends WriteOptions {
  /** Apply only: take over fields that other field managers own. */
  readonly force?: boolean;
}

/** Treatment of the dependents of a deleted object. */
export type PropagationPolicy = "Foreground" | "Background" | "Orphan";

/** Options of a delete request. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: PropagationPolicy;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Options of a get request. */
export interface GetOptions {
  readonly resourceVersion: string;
}

/** Parses and validates the options of a create. Throws a `StatusError` (422) with all problems. */
export function decodeCreateOptions(query: Query): WriteOptions {
  return writeOptions(query, "CreateOptions", []);
}

/** Parses and validates the options of an update. Throws a `StatusError` (422) with all problems. */
export function decodeUpdateOptions(query: Query): WriteOptions {
  return writeOptions(query, "UpdateOptions", []);
}

/** Parses and validates the options of a patch. An apply requires a field manager. Throws a `StatusError` (422). */
export function decodePatchOptions(query: Query, { isApply }: { readonly isApply: boolean }): PatchOptions {
  const force = readBoolean(query, "force");
  const problems: Problem[] = [];
  if (isApply && (query.first("fieldManager") ?? "") === "") {
    problems.push(required("fieldManager", "is required for apply patch"));
  }
  if (!isApply && force !== undefined) problems.push(forbidden("force", "may not be specified for non-apply patch"));
  return { ...writeOptions(query, "PatchOptions", problems), ...(force === undefined ? {} : { force }) };
}

/** Parses the options of a get. Throws a `StatusError` (400) for the removed parameter `export`. */
export function decodeGetOptions(query: Query): GetOptions {
  if (readBoolean(query, "export") ?? false) {
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  return { resourceVersion: query.first("resourceVersion") ?? "" };
}

/**
 * Parses the delete options in the query, which apply if the body has none. Throws a `StatusError` (400) for an invalid
 * number.
 */
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

/** Delete options before validation, from the query or from the body. */
export interface WrittenDeleteOptions extends Omit<DeleteOptions, "dryRun" | "propagationPolicy"> {
  readonly dryRun: readonly string[];
  readonly propagationPolicy?: string;
}

/** Validates delete options. Throws a `StatusError` (422) with all problems. */
export function checkDeleteOptions(raw: WrittenDeleteOptions): DeleteOptions {
  const { propagationPolicy: policy, dryRun, ...rest } = raw;
  const problems: Problem[] = [];
  if (policy !== undefined && raw.orphanDependents !== undefined) {
    problems.push(
      invalidValue("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  }
  if (policy !== undefined && !isPolicy(policy)) {
    problems.push(notSupported("propagationPolicy", quote(policy), ["Foreground", "Background", "Orphan", "nil"]));
  }
  problems.push(...dryRunProblems(dryRun));
  if (problems.length > 0) throw invalidOptions("DeleteOptions", problems);
  const isDryRun = dryRun.length > 0;
  return {
    ...rest,
    dryRun: isDryRun,
    ...(policy !== undefined && isPolicy(policy) ? { propagationPolicy: policy } : {}),
  };
}

/** Parses and validates the delete options in the query. Throws a `StatusError`. */
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
  const isSupported = isFieldValidation(fieldValidation);
  if (!isSupported) {
    problems.push(notSupported("fieldValidation", quote(fieldValidation), ["", "Ignore", "Strict", "Warn"]));
  }
  if (problems.length > 0 || !isSupported) throw invalidOptions(kind, problems);
  return { dryRun: dryRun.length > 0, fieldManager, fieldValidation };
}

function dryRunProblems(values: readonly string[]): Problem[] {
  if (values.every((value) => value === "All")) return [];
  // The list is formatted as JSON, in which Go escapes HTML characters.
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
      // Each problem repeats the whole name, so the response to a long invalid name would grow quadratically.
      if (problems.length > problemsMax) break;
    }
    at += utf8Length(character);
  }
  return problems;
}

const problemsMax = 256;
