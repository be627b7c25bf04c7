import { joinedValue } from "../request/header-value.ts";
import type { RequestView } from "../request/request-view.ts";
import type { EntryMatch, PathMatch } from "./route-table.ts";

/** Conditions of an entry or a fault, prepared for requests. An undefined list has no effect. */
export interface CompiledConditions {
  readonly paths: readonly CompiledPath[] | undefined;
  readonly methods: readonly string[] | undefined;
  /** Headers with lower-case names. */
  readonly headers: readonly { readonly name: string; readonly value: string }[] | undefined;
}

/** A condition on the path. */
export interface CompiledPath {
  readonly isExact: boolean;
  /** Path; a prefix has no slash at its end. */
  readonly path: string;
}

/** A condition that a request does not meet. */
export type FailedCondition = "path" | "method" | "header";

/** Prepares conditions; undefined if every request meets them. An empty list counts as absent. */
export function compileConditions({ paths, methods, headers }: EntryMatch): CompiledConditions | undefined {
  const conditions = {
    paths: nonEmpty(paths)?.map(compilePath),
    methods: nonEmpty(methods),
    headers: nonEmpty(headers)?.map(({ name, value }) => ({ name: name.toLowerCase(), value })),
  };
  return Object.values(conditions).every((each) => each === undefined) ? undefined : conditions;
}

function nonEmpty<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

function compilePath(match: PathMatch): CompiledPath {
  if ("exact" in match) return { isExact: true, path: match.exact };
  // As in the Gateway API, `/api/` is the same prefix as `/api`.
  return { isExact: false, path: match.prefix.endsWith("/") ? match.prefix.slice(0, -1) : match.prefix };
}

/**
 * Returns the first condition that a request does not meet, or undefined if it meets all. `path` is the comparable path of the
 * request, or undefined if it meets no condition on the path.
 */
export function failedCondition(
  { paths, methods, headers }: CompiledConditions,
  request: RequestView,
  path: string | undefined,
): FailedCondition | undefined {
  if (paths !== undefined && !paths.some((each) => path !== undefined && matchesPath(each, path))) return "path";
  if (methods !== undefined && !methods.includes(request.method)) return "method";
  if (headers !== undefined) {
    // Envoy joins repeated headers in the same way before it compares them.
    for (const { name, value } of headers) if (joinedValue(request.headers, name, ",") !== value) return "header";
  }
  return undefined;
}

/** Reports whether a path meets a condition. A prefix matches whole segments only. */
function matchesPath(condition: CompiledPath, path: string): boolean {
  if (condition.isExact) return path === condition.path;
  if (!path.startsWith(condition.path)) return false;
  const { length } = condition.path;
  return path.length === length || path.charCodeAt(length) === 0x2f;
}
