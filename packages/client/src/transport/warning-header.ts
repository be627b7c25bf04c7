/** A warning of the server about a request that succeeded, such as a deprecated version or an unknown field. */
export interface Warning {
  /** 299 for all warnings of Kubernetes. */
  readonly code: number;
  /** The component that warns; `-` if unknown. */
  readonly agent: string;
  readonly text: string;
}

const warningsMax = 100;

/**
 * Parses a `Warning` header: `299 - "text"`, several separated by commas. Never throws.
 *
 * Parsing stops at the first malformed warning; those before it are returned. Node decodes header bytes as Latin-1, but Kubernetes
 * sends UTF-8, so the text is decoded again.
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
