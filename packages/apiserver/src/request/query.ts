/** The parameters of a URL, each with its values in their order. */
export class Query {
  static readonly empty: Query = new Query(new Map());
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /** The first value of a parameter, the only one that counts for most. */
  first(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  /** Every value of a parameter. */
  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** Whether a parameter is there, with or without a value. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }
}

/**
 * Reads what stands after the question mark of a URL, as an API server does. Never throws.
 *
 * A pair with a semicolon or with a percent sign that escapes nothing is left out, and the others count.
 */
export function parseQuery(text: string): Query {
  if (text === "") return Query.empty;
  const values = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const name = unescape(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? "" : unescape(pair.slice(equals + 1));
    if (name === undefined || value === undefined) continue;
    const list = values.get(name);
    if (list === undefined) values.set(name, [value]);
    else list.push(value);
  }
  return new Query(values);
}

function unescape(text: string): string | undefined {
  return unescapePercent(text.includes("+") ? text.replaceAll("+", " ") : text);
}

/** The text with its percent escapes resolved, or undefined when a percent sign escapes nothing. Bad UTF-8 becomes U+FFFD. */
export function unescapePercent(text: string): string | undefined {
  if (!text.includes("%")) return text;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    // Escapes of bytes that are no UTF-8.
    const bytes = Buffer.from(text.replace(/%([0-9a-fA-F]{2})/g, "\0$1"), "utf8");
    return decodeMarked(bytes);
  }
}

/** Resolves escapes that are marked with a zero byte, which itself can only come from an escape. */
function decodeMarked(bytes: Buffer): string {
  const out = Buffer.alloc(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at] ?? 0;
    if (byte === 0) {
      byte = Number.parseInt(bytes.toString("latin1", at + 1, at + 3), 16);
      at += 2;
    }
    out[length] = byte;
    length += 1;
  }
  return out.toString("utf8", 0, length);
}
