// Requests as meshes see them: repeated headers are joined, and the path of a match has no query.

import type { CaseRequest } from "@homeostat/routing/equivalence";

/** A request for evaluators of mesh routes. */
export interface MeshRequest {
  readonly method: string;
  /** Path without query. */
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  /** Values by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Returns the request of a case as a mesh sees it. */
export function meshRequest({ method, path, headers }: Pick<CaseRequest, "method" | "path" | "headers">): MeshRequest {
  const joined = new Map<string, string>();
  for (const [name, value] of headers) {
    const known = joined.get(name.toLowerCase());
    const trimmed = value.replaceAll(/^[ \t]+|[ \t]+$/g, "");
    joined.set(name.toLowerCase(), known === undefined ? trimmed : `${known},${trimmed}`);
  }
  const [plain = "", query = ""] = path.split("?", 2);
  return { method, path: plain, query: new Map(new URLSearchParams(query)), headers: joined };
}

/** Reports whether an expression matches: the whole value, or a part of it. */
export function matchesRegex(expression: string, value: string, mode: "whole" | "search" = "whole"): boolean {
  return new RegExp(mode === "whole" ? `^(?:${expression})$` : expression).test(value);
}
