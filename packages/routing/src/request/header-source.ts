import type { HeaderSource } from "./request-view.ts";

/** Returns the headers of a list of fields, as `rawHeaders` of Node or a JSON document has them. Names may have any case. */
export function headerSource(fields: Iterable<readonly [name: string, value: string]>): HeaderSource {
  const values = new Map<string, string | readonly string[]>();
  for (const [name, value] of fields) {
    const lower = name.toLowerCase();
    const before = values.get(lower);
    values.set(lower, before === undefined ? value : [before, value].flat());
  }
  return values;
}
