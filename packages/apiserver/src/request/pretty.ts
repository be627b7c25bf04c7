import type { Query } from "./query.ts";

/** Whether an answer is laid out for people: because it was asked for, or because a browser or a shell asks. */
export function wantsPretty(query: Query, userAgent: string | undefined): boolean {
  const asked = query.first("pretty") ?? "";
  if (asked !== "") return ["1", "t", "T", "true", "TRUE", "True"].includes(asked);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? "");
}
