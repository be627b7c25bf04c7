/** What a server wants a person to know although the request succeeded: a deprecated version, a field it ignored. */
export interface Warning {
  /** 299 for all that Kubernetes sends. */
  readonly code: number;
  /** Who warns; `-` when it does not say. */
  readonly agent: string;
  readonly text: string;
}

const warningsMax = 100;

/**
 * Reads a `Warning` header: `299 - "text"`, several of them separated by commas. Never throws.
 *
 * What is malformed ends the reading; what came before it counts. Bytes beyond ASCII, which Node reads as Latin-1, are
 * taken for the UTF-8 they are.
 */
export function parseWarnings(header: string): Warning[] {
  const found: Warning[] = [];
  const pattern = /[ \t,]*(\d{3})[ \t]+([^ \t"]+)[ \t]+"((?:[^"\\]|\\.)*)"(?:[ \t]+"[^"]*")?[ \t]*(?=,|$)/y;
  for (let match = pattern.exec(header); match !== null && found.length < warningsMax; match = pattern.exec(header)) {
    const [, code = "", agent = "", quoted = ""] = match;
    found.push({ code: Number(code), agent, text: fromUtf8(quoted.replace(/\\(.)/gs, "$1")) });
  }
  return found;
}

function fromUtf8(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the range of a byte is what is looked for
  if (!/[\u0080-\u00ff]/.test(text) || /[^\u0000-\u00ff]/.test(text)) return text;
  const decoded = Buffer.from(text, "latin1").toString("utf8");
  return decoded.includes("\ufffd") ? text : decoded;
}
