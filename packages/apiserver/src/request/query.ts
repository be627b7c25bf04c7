/** The query parameters of a URL, each with its values in order. */
export class Query {
  static readonly empty: Query = new Query(new Map());
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /** Returns the first value of a parameter. For most parameters only the first one counts. */
  first(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  /** Returns all values of a parameter. */
  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** Reports whether a parameter is present, with or without a value. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }
}

/**
 * Parses a query string as Go's `url.ParseQuery` does in kube-apiserver. Never throws.
 *
 * A pair with a semicolon or an invalid percent escape is dropped; the others count.
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

/** Decodes percent escapes. Returns undefined for an invalid escape. Invalid UTF-8 becomes U+FFFD. */
export function unescapePercent(text: string): string | undefined {
  if (!text.includes("%")) return text;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    // The escaped bytes are not valid UTF-8, which `decodeURIComponent` rejects. Go accepts them.
    const bytes = Buffer.from(text.replace(/%([0-9a-fA-F]{2})/g, "\0$1"), "utf8");
    return decodeMarked(bytes);
  }
}

/** Decodes escapes that are marked with a zero byte in place of the percent sign. */
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
