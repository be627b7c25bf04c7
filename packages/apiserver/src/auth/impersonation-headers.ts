import { compareBytes } from "../codec/go-text.ts";
import { quote } from "@homeostat/cel";
import { goSyntaxList } from "./go-quote.ts";
import { badRequest, type Refusal } from "./refusal.ts";
import type { User } from "./user.ts";

const extraPrefix = "impersonate-extra-";

/**
 * Parses the headers `Impersonate-User`, `-Group`, `-Uid` and `-Extra-KEY`; returns undefined if there are none.
 *
 * Takes pairs of header name and value (decoded as UTF-8) in their original order, including repetitions. Headers
 * without a user name are refused.
 */
export function impersonatedUser(
  headers: Iterable<readonly [name: string, value: string]>,
): User | Refusal | undefined {
  let name: string | undefined;
  let uid: string | undefined;
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  for (const [header, value] of headers) {
    const lower = header.toLowerCase();
    if (lower === "impersonate-user") name ??= value;
    else if (lower === "impersonate-uid") uid ??= value;
    else if (lower === "impersonate-group") groups.push(value);
    else if (lower.startsWith(extraPrefix)) {
      const key = unescapeKey(lower.slice(extraPrefix.length));
      const values = extra.get(key);
      if (values === undefined) extra.set(key, [value]);
      else values.push(value);
    }
  }
  const hasOther = (uid ?? "") !== "" || groups.length > 0 || extra.size > 0;
  if (name === undefined || name === "") return hasOther ? withoutName(uid ?? "", groups, extra) : undefined;
  return { name, uid: uid ?? "", groups, extra: asRecord(extra) };
}

/** Converts to a record with own properties, which is safe for any key, including `__proto__`. */
function asRecord(extra: ReadonlyMap<string, readonly string[]>): User["extra"] {
  return Object.fromEntries(extra);
}

function withoutName(uid: string, groups: readonly string[], extra: ReadonlyMap<string, readonly string[]>): Refusal {
  const pairs = [...extra].sort(([a], [b]) => compareBytes(a, b));
  const shown = [
    'Name:""',
    `UID:${quote(uid)}`,
    `Groups:${groups.length === 0 ? "[]string(nil)" : goSyntaxList(groups)}`,
    extra.size === 0
      ? "Extra:map[string][]string(nil)"
      : `Extra:map[string][]string{${pairs.map(([key, values]) => `${quote(key)}:${goSyntaxList(values)}`).join(", ")}}`,
  ];
  return badRequest(`requested &user.DefaultInfo{${shown.join(", ")}} without impersonating a user name`);
}

/** Decodes percent escapes such as `%2F` in a key; a malformed key is used unchanged. */
function unescapeKey(key: string): string {
  if (!key.includes("%")) return key;
  if (/%(?![0-9a-f]{2})/.test(key)) return key;
  // Decode on bytes instead of characters, because one UTF-8 character may consist of escaped and unescaped bytes.
  const bytes = Buffer.from(key)
    .toString("latin1")
    .replaceAll(/%([0-9a-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
