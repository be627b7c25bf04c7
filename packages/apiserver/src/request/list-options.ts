import {
  type FieldSelector,
  type LabelSelector,
  ParseError,
  parseFieldSelector,
  parseLabelSelector,
} from "@homeostat/core";
import { quote } from "@homeostat/cel";
import type { Problem } from "@homeostat/schema";
import type { Query } from "./query.ts";
import { readBoolean, readInteger } from "./read-parameter.ts";
import { badRequest, forbidden, invalidOptions, notSupported } from "./option-problem.ts";
import { fieldSelectorError, labelSelectorError } from "./selector-errors.ts";

/** Value of `resourceVersionMatch`; empty if the request has none. */
export type ResourceVersionMatch = "" | "Exact" | "NotOlderThan";

/** Options of a list, watch or deletecollection request. */
export interface ListOptions {
  readonly labelSelector: LabelSelector;
  /** Field selector as sent. Which fields are supported depends on the resource and is checked later. */
  readonly fieldSelector: FieldSelector;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: ResourceVersionMatch;
  /** Duration of a watch. The server chooses one if it is absent or 0. */
  readonly timeoutSeconds?: number;
  /** Maximum number of items. 0 or less: unlimited. */
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents?: boolean;
}

/** Parsed options before defaults and cross-field validation. */
type RawListOptions = Omit<ListOptions, "resourceVersionMatch"> & { readonly resourceVersionMatch: string };

/**
 * Parses the options without validating combinations. Throws a `StatusError` (400) for a value that cannot be parsed.
 */
export function readListOptions(query: Query): RawListOptions {
  const timeoutSeconds = readInteger(query, "timeoutSeconds");
  const limit = readInteger(query, "limit") ?? 0;
  const sendInitialEvents = readBoolean(query, "sendInitialEvents");
  return {
    labelSelector: readSelector(query.first("labelSelector"), parseLabelSelector, labelSelectorError),
    fieldSelector: readSelector(query.first("fieldSelector"), parseFieldSelector, fieldSelectorError),
    watch: readBoolean(query, "watch") ?? false,
    allowWatchBookmarks: readBoolean(query, "allowWatchBookmarks") ?? false,
    resourceVersion: query.first("resourceVersion") ?? "",
    resourceVersionMatch: query.first("resourceVersionMatch") ?? "",
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    limit,
    continue: query.first("continue") ?? "",
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
  };
}

/**
 * Parses, defaults and validates the options of a list or watch. `isWatch` is for the deprecated `/watch/` paths.
 *
 * Throws a `StatusError`: 400 for a value that cannot be parsed, 422 for options that cannot be combined.
 */
export function decodeListOptions(query: Query, { isWatch = false }: { readonly isWatch?: boolean } = {}): ListOptions {
  const read = readListOptions(query);
  const raw = withDefaults(isWatch ? { ...read, watch: true } : read);
  const { resourceVersionMatch } = raw;
  const problems = raw.watch ? watchProblems(raw) : listProblems(raw);
  if (problems.length > 0 || !isMatch(resourceVersionMatch)) throw invalidOptions("ListOptions", problems);
  return { ...raw, resourceVersionMatch };
}

function isMatch(text: string): text is ResourceVersionMatch {
  return text === "" || text === "Exact" || text === "NotOlderThan";
}

/**
 * Applies the defaults of kube-apiserver: a watch without a resourceVersion, or with "0", starts with the current
 * objects.
 */
function withDefaults(options: RawListOptions): RawListOptions {
  const { sendInitialEvents, resourceVersionMatch, watch, resourceVersion } = options;
  if (sendInitialEvents !== undefined || resourceVersionMatch !== "" || !watch) return options;
  if (resourceVersion !== "" && resourceVersion !== "0") return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
}

const matchField = "resourceVersionMatch";

function listProblems(options: RawListOptions): Problem[] {
  const { resourceVersionMatch: match, resourceVersion } = options;
  const problems: Problem[] = [];
  if (match !== "") {
    if (resourceVersion === "") {
      problems.push(forbidden(matchField, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (options.continue !== "") {
      problems.push(forbidden(matchField, "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (!isMatch(match)) problems.push(notSupported(matchField, quote(match), ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && resourceVersion === "0") {
      problems.push(forbidden(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    problems.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return problems;
}

function watchProblems(options: RawListOptions): Problem[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  const problems: Problem[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    problems.push(forbidden(matchField, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (match === "") return problems;
  if (sendInitialEvents === undefined) {
    problems.push(
      forbidden(matchField, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"),
    );
  }
  if (match !== "NotOlderThan") problems.push(notSupported(matchField, quote(match), ["NotOlderThan"]));
  if (options.continue !== "") {
    problems.push(forbidden(matchField, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return problems;
}

function readSelector<T>(text: string | undefined, parse: (text: string) => T, describe: (text: string) => string): T {
  try {
    return parse(text ?? "");
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const message = describe(error.input);
    throw badRequest(message === "" ? error.message : message, { cause: error });
  }
}
