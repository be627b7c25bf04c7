// Replaces what differs between servers and runs in responses and program output.

import { isRecord } from "@homeostat/core";

const uidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const timePattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
/** Replaced in strings of any field. Suites use the prefix `made-up-` for every generateName. */
const wordPatterns: readonly (readonly [RegExp, string])[] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>"],
  [/https:\/\/kubernetes\.default\.svc(\.cluster\.local)?/g, "<issuer>"],
  [/X509SHA256=[0-9a-f]+/g, "<certificate>"],
  [/\b(made-up|kube-api-access)-[a-z0-9]{5}\b/g, "$1-<made up>"],
  [/\bapiserver-[a-z2-7]{26}(?![a-z0-9])/g, "<apiserver>"],
  [/\b(10|127)\.\d+\.\d+\.\d+(:\d+)?\b/g, "<address>"],
];
/** Fields with certificates of one server. */
const certificateKeys = new Set(["kube-root-ca.crt", "caBundle", "client-ca-file", "requestheader-client-ca-file"]);
/** An object printed as a quoted string in a message. */
const quotedObject = /"\{(?:[^"\\]|\\.)*\}"/g;
/** The server truncates longer generateName prefixes. */
const generatedMax = 58;
/** Resource versions in text: YAML, JSON, and JSON quoted once or twice more. */
const writtenVersion = /(resourceVersion\\*"?: ?\\*")(\d+)(\\*")/g;
const versionTexts = [
  /(too old resource version: )(\d+)( \()(\d+)(\))/g,
  /(in the precondition \()(\d+)(\) does not match the ResourceVersion in record \()(\d+)(\))/g,
  /(Too large resource version: )(\d+)(, current: )(\d+)()/g,
];

interface ErrorStatus {
  readonly message: string;
  readonly details?: { readonly causes?: readonly unknown[] };
}

/** Reports whether a value is an error with several causes, which the real server returns in random order. */
function isInvalid(value: object): value is ErrorStatus {
  const { status, message } = value as { status?: unknown; message?: unknown };
  return status === "Failure" && typeof message === "string" && !("isSorted" in value);
}

/** Returns the error with sorted causes and a message that does not repeat them. */
function withoutOrder(errorStatus: ErrorStatus): unknown {
  const { causes = [] } = errorStatus.details ?? {};
  const [typed] = errorStatus.message.split(/: (?:errors:\n|\.)/);
  const message = errorStatus.message.includes("typed patch object") ? typed : errorStatus.message;
  if (causes.length < 2) return { ...errorStatus, message, isSorted: true };
  const [head] = errorStatus.message.split(" is invalid: [");
  return {
    ...errorStatus,
    message: head,
    details: { ...errorStatus.details, causes: causes.toSorted(byText) },
    isSorted: true,
  };
}

/** Returns a quoted object with its managedFields sorted. The order by time is lost, because times are replaced. */
function orderedManagers(quoted: string): string {
  if (!quoted.includes("managedFields")) return quoted;
  try {
    const text = JSON.parse(quoted) as string;
    return JSON.stringify(JSON.stringify(JSON.parse(text, sortManagers)));
  } catch {
    return quoted;
  }
}

function sortManagers(key: string, value: unknown): unknown {
  return key === "managedFields" && Array.isArray(value) ? value.toSorted(byText) : value;
}

function byText(a: unknown, b: unknown): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : Number(left > right);
}

/** Options of a normaliser. */
export interface NormaliserOptions {
  /** True if other clients write at the same time and requests are random: values that depend on timing are removed. */
  readonly isBusy?: boolean;
  /** Namespace of the case, replaced by `{ns}`. */
  readonly namespace?: string;
  /** Fields that other suites compare. */
  readonly without?: readonly string[];
  /** True if the identity of uids and resource versions is not compared. */
  readonly ignoresIdentity?: boolean;
}

/** Replaces values that differ between servers by numbered placeholders, in the order of their first appearance in a case. */
export class Normaliser {
  readonly #isBusy: boolean;
  readonly #namespace: string;
  readonly #without: ReadonlySet<string>;
  readonly #ignoresIdentity: boolean;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();

  constructor({ isBusy = false, namespace = "", without = [], ignoresIdentity = false }: NormaliserOptions = {}) {
    this.#isBusy = isBusy;
    this.#namespace = namespace;
    this.#without = new Set(without);
    this.#ignoresIdentity = ignoresIdentity;
  }

  /** Returns the value with placeholders for uids, resource versions, times, addresses and generated names. */
  normal(value: unknown, key = ""): unknown {
    if (Array.isArray(value)) {
      const made = value.map((each: unknown) => this.normal(each, key));
      // Ordered by time, and times are replaced.
      return key === "managedFields" ? made.toSorted(byText) : made;
    }
    if (typeof value === "string") return this.#text(value, key);
    if (typeof value === "number") return key === "nodePort" || key === "healthCheckNodePort" ? "<port>" : value;
    if (typeof value !== "object" || value === null) return value;
    const made: Record<string, unknown> = {};
    // The resourceVersion of a list is that of the whole server, to which other clients write too.
    const isList = this.#isBusy && Object.hasOwn(value, "items");
    if (this.#isBusy && isInvalid(value)) return this.normal(withoutOrder(value), "");
    const generated = Object.getOwnPropertyDescriptor(value, "generateName")?.value as unknown;
    for (const [name, each] of Object.entries(value)) {
      if (this.#without.has(name)) continue;
      const start = typeof generated === "string" ? generated.slice(0, generatedMax) : undefined;
      const isMadeUp = name === "name" && start !== undefined && typeof each === "string" && each.startsWith(start);
      if (isList && name === "metadata" && typeof each === "object" && each !== null) {
        made[name] = this.normal({ ...each, resourceVersion: "<of a list>" }, name);
      } else made[name] = isMadeUp ? `${start}<made up>` : this.normal(each, name);
    }
    return made;
  }

  #text(text: string, key: string): string {
    if (key === "resourceVersion" && /^\d+$/.test(text) && text !== "0") return this.#version(text);
    if (key === "continue" && text !== "") return `<continue ${this.#continue(text)}>`;
    if (key === "cells" && /^\d+s$/.test(text)) return "<age>";
    if (certificateKeys.has(key)) return "<certificate>";
    if (key === "kubernetes.io/hostname") return "<host>";
    if (key === "username" && /^(kubernetes-)?admin$/.test(text)) return "<admin>";
    let made = (this.#namespace === "" ? text : text.replaceAll(this.#namespace, "{ns}"))
      .replace(uidPattern, (uid) => this.#uid(uid))
      .replace(timePattern, (time) => (time.includes(".") ? "<fine time>" : "<time>"));
    for (const [pattern, word] of wordPatterns) made = made.replace(pattern, word);
    made = made.replace(
      writtenVersion,
      (_, before: string, version: string, after: string) => before + this.#version(version) + after,
    );
    // managedFields are ordered by the second of their writes, and the clocks of two servers may tick between two writes.
    made = made.replace(quotedObject, orderedManagers);
    for (const pattern of versionTexts) made = made.replace(pattern, "$1<version>$3<version>$5");
    return made;
  }

  #uid(uid: string): string {
    if (this.#ignoresIdentity) return "<uid>";
    const known = this.#uids.get(uid) ?? `<uid ${this.#uids.size + 1}>`;
    this.#uids.set(uid, known);
    return known;
  }

  #version(version: string): string {
    if (this.#ignoresIdentity) return "<version>";
    const known = this.#versions.get(version) ?? `<version ${this.#versions.size + 1}>`;
    this.#versions.set(version, known);
    return known;
  }

  #continue(token: string): string {
    const read: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    const text = JSON.stringify(this.normal(read));
    return text.replace(/"rv":(\d+)/, (_, version: string) =>
      this.#isBusy ? '"rv":"<of a list>"' : this.#version(version),
    );
  }
}

/** Returns a value with sorted keys and without `undefined` fields. */
export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.filter((key) => value[key] !== undefined).map((key) => [key, ordered(value[key])]));
}

const printedPatterns: readonly (readonly [RegExp, string])[] = [
  [uidPattern, "<uid>"],
  [timePattern, "<time>"],
  [/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "<time>"],
  [/(resourceVersion: )"\d+"/g, '$1"<version>"'],
  [/https:\/\/127\.0\.0\.1:\d+/g, "<server>"],
  // Ages of a few seconds, with the padding of their column.
  [/ +\d+(?:m\d+)?s\b */g, " <age> "],
];

/** Returns program output without what differs between servers and runs. */
export function normalisedOutput(text: string): string {
  return printedPatterns.reduce((shown, [pattern, word]) => shown.replace(pattern, word), text).replace(/ +$/gm, "");
}
