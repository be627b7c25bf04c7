import { isIpAddress } from "./ip.ts";

/**
 * Reports whether a string has the format `email`: one RFC 5322 address, with or without a display name and comments, such as
 * `Ada <ada@example.com>`. A group is accepted if it contains exactly one address.
 */
export function isEmail(text: string): boolean {
  const reader = new AddressReader(text);
  return reader.address({ mayBeGroup: true }) === 1 && reader.skipComments() && reader.atEnd();
}

/** Result of a parser method that failed. It leaves the position unchanged. */
const failed = false;

const atom = /[^\s()<>[\]:;@\\,"\u0000-\u0020\u007f]+/y; // eslint-disable-line no-control-regex -- not allowed in atoms
const spaces = /[ \t]*/y;
const quoted = /"((?:[^"\\\u0000-\u0008\u000a-\u001f\u007f]|\\[^\u0000-\u0008\u000a-\u001f\u007f])*)"/uy; // eslint-disable-line no-control-regex -- not allowed in quotes
const literal = /\[([!-Z^-~\u0080-\uffff]*)\]/y;

class AddressReader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Parses an address or group. Returns the number of addresses, or -1 if it is malformed. */
  address({ mayBeGroup }: { mayBeGroup: boolean }): number {
    this.skip(spaces);
    if (this.atEnd()) return -1;
    if (this.spec()) return this.trailingName() ? 1 : -1;
    if (this.peek() !== "<" && !this.phrase()) return -1;
    this.skip(spaces);
    if (mayBeGroup && this.take(":")) return this.group();
    return this.take("<") && this.spec() && this.take(">") ? 1 : -1;
  }

  /** Parses `local@domain`. */
  private spec(): boolean {
    const start = this.at;
    this.skip(spaces);
    const local = this.peek() === '"' ? this.skip(quoted)?.[1] : this.dotAtom();
    if (local !== undefined && local !== "" && this.take("@")) {
      this.skip(spaces);
      if (this.peek() === "[" ? this.domainLiteral() : this.dotAtom() !== undefined) return true;
    }
    this.at = start;
    return failed;
  }

  private dotAtom(): string | undefined {
    const word = this.skip(atom)?.[0];
    return word === undefined || /^\.|\.\.|\.$/.test(word) ? undefined : word;
  }

  private domainLiteral(): boolean {
    const address = this.skip(literal)?.[1];
    return address !== undefined && isIpAddress(address);
  }

  /** Parses a name in parentheses after the address. */
  private trailingName(): boolean {
    this.skip(spaces);
    const start = this.at;
    if (!this.take("(")) return true;
    if (!this.comment()) return failed;
    const name = this.text.slice(start + 1, this.at - 1).replace(/\\([^])/g, "$1");
    return !name.split(/[ \t]+/).some((word) => decodedLength(word) === undefined);
  }

  /** Parses one or more words before an address. Encoded words count only when a plain word or the end follows. */
  private phrase(): boolean {
    let words = 0;
    let encoded = 0;
    for (;;) {
      if (words > 0 && !this.skipComments()) return failed;
      this.skip(spaces);
      if (this.atEnd()) return true;
      const word = this.peek() === '"' ? this.skip(quoted)?.[0] : this.skip(atom)?.[0];
      const length = word === undefined ? undefined : decodedLength(word);
      if (length === undefined) return words + encoded > 0;
      if (length === "plain") {
        words += 1 + encoded;
        encoded = 0;
      } else if (length > 0) encoded = 1;
    }
  }

  private group(): number {
    this.skip(spaces);
    if (this.take(";")) return this.skipComments() ? 0 : -1;
    for (let count = 1; ; count += 1) {
      if (this.address({ mayBeGroup: false }) < 0 || !this.skipComments()) return -1;
      if (this.take(";")) return this.skipComments() ? count : -1;
      if (!this.take(",")) return -1;
    }
  }

  /** Skips spaces and comments. Fails on an unterminated comment. */
  skipComments(): boolean {
    this.skip(spaces);
    while (this.take("(")) {
      if (!this.comment()) return failed;
      this.skip(spaces);
    }
    return true;
  }

  /** Parses the rest of a comment after its opening parenthesis. Comments nest. */
  private comment(): boolean {
    for (let depth = 1; !this.atEnd();) {
      const character = this.peek();
      if (character === "\\" && this.at + 1 < this.text.length) this.at += 1;
      else if (character === "(") depth += 1;
      else if (character === ")") depth -= 1;
      this.at += 1;
      if (depth === 0) return true;
    }
    return failed;
  }

  private peek(): string {
    return this.text.charAt(this.at);
  }

  private take(character: string): boolean {
    if (this.peek() !== character) return failed;
    this.at += 1;
    return true;
  }

  private skip(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const match = expression.exec(this.text) ?? undefined;
    this.at += match?.[0].length ?? 0;
    return match;
  }
}

/**
 * Returns the decoded length of an encoded word (RFC 2047), `"plain"` for any other word, and undefined for a character set that the
 * API server does not support.
 */
function decodedLength(word: string): number | "plain" | undefined {
  const [, charset = "", encoding = "", text = ""] = /^=\?([^?]+)\?([^?])\?([^?]*)\?=$/.exec(word) ?? [];
  if (charset === "" || word.length < 8) return "plain";
  const content = /^b$/i.test(encoding) ? text.replace(/[\r\n]/g, "") : text;
  const isContent = /^b$/i.test(encoding)
    ? content.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(content)
    : /^q$/i.test(encoding) && /^(?:[\t\n\r -<>-~]|=[0-9A-Fa-f]{2})*$/.test(content);
  if (!isContent) return "plain";
  return /^(?:utf-8|iso-8859-1|us-ascii)$/i.test(charset) ? content.length : undefined;
}
