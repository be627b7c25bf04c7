import { ParseError } from "@homeostat/core";
import type { User } from "./user.ts";

/** A token that authenticates a user as long as the server runs. */
export interface StaticToken {
  readonly token: string;
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
}

/** A fixed list of tokens. */
export class StaticTokens {
  readonly #users = new Map<string, User>();

  /** The last of several equal tokens wins; an empty token is ignored. */
  constructor(tokens: Iterable<StaticToken>) {
    for (const { token, user, uid = "", groups = [] } of tokens) {
      if (token !== "") this.#users.set(token, { name: user, uid, groups: [...groups], extra: {} });
    }
  }

  /** Returns the user of a token. */
  find(token: string): User | undefined {
    return this.#users.get(token);
  }
}

/**
 * Parses a token file: CSV lines of `token,user,uid`, optionally followed by `"group,group"`.
 *
 * A quoted field may contain commas, newlines and doubled quotes.
 *
 * @throws ParseError for a misplaced quote or a line with less than three fields.
 */
export function parseTokenFile(text: string): StaticToken[] {
  return readRecords(text).map(({ fields, offset }) => {
    const [token, user, uid, groups] = fields;
    if (token === undefined || user === undefined || uid === undefined) {
      throw failure(text, offset, `expected at least 3 columns (token, user name, user UID), found ${fields.length}`);
    }
    return { token, user, uid, ...(groups === undefined ? {} : { groups: groups.split(",") }) };
  });
}

interface CsvRecord {
  readonly fields: string[];
  readonly offset: number;
}

function readRecords(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  for (let at = 0; at < text.length;) {
    const record: CsvRecord = { fields: [], offset: at };
    at = readRecord(text, at, record.fields);
    if (record.fields.length > 1 || record.fields[0] !== "") records.push(record);
  }
  return records;
}

/** Reads one line into `fields` and returns the offset of the next line. */
function readRecord(text: string, start: number, fields: string[]): number {
  for (let at = start; ;) {
    const { field, end } = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at);
    fields.push(field);
    if (text[end] === ",") at = end + 1;
    else return text.startsWith("\r\n", end) ? end + 2 : end + 1;
  }
}

function readPlain(text: string, at: number): { field: string; end: number } {
  let end = at;
  while (end < text.length && text[end] !== "," && text[end] !== "\n" && !text.startsWith("\r\n", end)) {
    if (text[end] === '"') throw failure(text, end, "unexpected quote in an unquoted field");
    end += 1;
  }
  return { field: text.slice(at, end), end };
}

function readQuoted(text: string, at: number): { field: string; end: number } {
  const parts: string[] = [];
  for (let from = at + 1; ;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw failure(text, at, "unterminated quote");
    parts.push(text.slice(from, quote));
    if (text[quote + 1] !== '"') {
      const end = quote + 1;
      const isEnd = end >= text.length || text[end] === "," || text[end] === "\n" || text.startsWith("\r\n", end);
      if (!isEnd) throw failure(text, end, "expected a comma or the end of the line after the closing quote");
      return { field: parts.join('"'), end };
    }
    from = quote + 2;
  }
}

function failure(input: string, offset: number, problem: string): ParseError {
  return new ParseError({ what: "token file", input, offset, problem });
}
