// Takes out of answers what is different on every server, and keeps which of them were the same.

const uidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const timePattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
const tokenPattern = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const addressPattern = /\b(10|127)\.\d+\.\d+\.\d+(:\d+)?\b/g;
/** Longer beginnings of names are cut by the server. */
const generatedMax = 58;
/** Versions within texts: of YAML, of JSON, and of JSON that is quoted once or twice more. */
const writtenVersion = /(resourceVersion\\*"?: ?\\*")(\d+)(\\*")/g;
const versionTexts = [
  /(too old resource version: )(\d+)( \()(\d+)(\))/g,
  /(Too large resource version: )(\d+)(, current: )(\d+)()/g,
];

function byText(a: unknown, b: unknown): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : Number(left > right);
}

/** Names what changes from server to server, in the order of its first appearance in a case. */
export class Normaliser {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();

  /** The value with stand-ins for uids, versions, times, addresses and names that were made up. */
  normal(value: unknown, key = ""): unknown {
    if (Array.isArray(value)) {
      const made = value.map((each: unknown) => this.normal(each, key));
      // In the order of times, and times are gone.
      return key === "managedFields" ? made.toSorted(byText) : made;
    }
    if (typeof value === "string") return this.#text(value, key);
    if (typeof value === "number") return key === "nodePort" || key === "healthCheckNodePort" ? "<port>" : value;
    if (typeof value !== "object" || value === null) return value;
    const made: Record<string, unknown> = {};
    const generated = Object.getOwnPropertyDescriptor(value, "generateName")?.value as unknown;
    for (const [name, each] of Object.entries(value)) {
      const start = typeof generated === "string" ? generated.slice(0, generatedMax) : undefined;
      const isMadeUp = name === "name" && start !== undefined && typeof each === "string" && each.startsWith(start);
      made[name] = isMadeUp ? `${start}<made up>` : this.normal(each, name);
    }
    return made;
  }

  #text(text: string, key: string): string {
    if (key === "resourceVersion" && /^\d+$/.test(text) && text !== "0") return this.#version(text);
    if (key === "continue" && text !== "") return `<continue ${this.#continue(text)}>`;
    if (key === "cells" && /^\d+s$/.test(text)) return "<age>";
    if (key === "kube-root-ca.crt" || key === "caBundle") return "<certificate>";
    let made = text
      .replace(uidPattern, (uid) => this.#uid(uid))
      .replace(timePattern, (time) => (time.includes(".") ? "<fine time>" : "<time>"))
      .replace(tokenPattern, "<token>")
      .replace(addressPattern, "<address>");
    made = made.replace(
      writtenVersion,
      (_, before: string, version: string, after: string) => before + this.#version(version) + after,
    );
    for (const pattern of versionTexts) made = made.replace(pattern, "$1<version>$3<version>$5");
    return made;
  }

  #uid(uid: string): string {
    const known = this.#uids.get(uid) ?? `<uid ${this.#uids.size + 1}>`;
    this.#uids.set(uid, known);
    return known;
  }

  #version(version: string): string {
    const known = this.#versions.get(version) ?? `<version ${this.#versions.size + 1}>`;
    this.#versions.set(version, known);
    return known;
  }

  #continue(token: string): string {
    const read: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    return JSON.stringify(this.normal(read)).replace(/"rv":(\d+)/, (_, version: string) => this.#version(version));
  }
}
