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
import { fieldSelectorWords, labelSelectorWords } from "./selector-words.ts";

/** How versions of a list are matched; empty when the request does not say. */
export type ResourceVersionMatch = "" | "Exact" | "NotOlderThan";

/** What a list, a watch or the deletion of many asks for. */
export interface ListOptions {
  readonly labelSelector: LabelSelector;
  /** As it was sent: which fields there are depends on the resource. */
  readonly fieldSelector: FieldSelector;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: ResourceVersionMatch;
  /** Of a watch; the server chooses when it is absent or 0. */
  readonly timeoutSeconds?: number;
  /** 0 and less: no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents?: boolean;
}

/** The options as they are written, before the rules between them. */
type WrittenOptions = Omit<ListOptions, "resourceVersionMatch"> & { readonly resourceVersionMatch: string };

/** Reads the options and nothing else. Throws a `StatusError` (400) for a value that cannot be read. */
export function readListOptions(query: Query): WrittenOptions {
  const timeoutSeconds = readInteger(query, "timeoutSeconds");
  const limit = readInteger(query, "limit") ?? 0;
  const sendInitialEvents = readBoolean(query, "sendInitialEvents");
  return {
    labelSelector: readSelector(query.first("labelSelector"), parseLabelSelector, labelSelectorWords),
    fieldSelector: readSelector(query.first("fieldSelector"), parseFieldSelector, fieldSelectorWords),
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
 * The options of a list or watch, with the server's defaults and after its checks. `isWatch` is for the old paths, which say
 * it in another way.
 *
 * Throws a `StatusError`: 400 for a value that cannot be read, 422 for options that do not go together.
 */
export function decodeListOptions(query: Query, { isWatch = false }: { readonly isWatch?: boolean } = {}): ListOptions {
  const read = readListOptions(query);
  const written = withDefaults(isWatch ? { ...read, watch: true } : read);
  const { resourceVersionMatch } = written;
  const problems = written.watch ? watchProblems(written) : listProblems(written);
  if (problems.length > 0 || !isMatch(resourceVersionMatch)) throw invalidOptions("ListOptions", problems);
  return { ...written, resourceVersionMatch };
}

function isMatch(text: string): text is ResourceVersionMatch {
  return text === "" || text === "Exact" || text === "NotOlderThan";
}

/** A watch from nowhere or from any version begins with what there is. */
function withDefaults(options: WrittenOptions): WrittenOptions {
  const { sendInitialEvents, resourceVersionMatch, watch, resourceVersion } = options;
  if (sendInitialEvents !== undefined || resourceVersionMatch !== "" || !watch) return options;
  if (resourceVersion !== "" && resourceVersion !== "0") return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
}

const matchField = "resourceVersionMatch";

function listProblems(options: WrittenOptions): Problem[] {
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

function watchProblems(options: WrittenOptions): Problem[] {
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

function readSelector<T>(text: string | undefined, parse: (text: string) => T, words: (text: string) => string): T {
  try {
    return parse(text ?? "");
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const told = words(error.input);
    throw badRequest(told === "" ? error.message : told, { cause: error });
  }
}
