import type { Query } from "./query.ts";

/**
 * Reports whether the response must be indented: `?pretty` requests it, or the client is curl, Wget or a browser. Same
 * rule as in kube-apiserver.
 */
export function wantsPretty(query: Query, userAgent: string | undefined): boolean {
  const parameter = query.first("pretty") ?? "";
  if (parameter !== "") return ["1", "t", "T", "true", "TRUE", "True"].includes(parameter);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? "");
}
