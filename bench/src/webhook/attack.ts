/** A webhook that the bench sends requests to. */
export type Target = "locust validating" | "locust conversion" | "tenant validating" | "tenant mutating";

/** A request that tries to keep the event loop of a webhook busy. */
export interface Attack {
  readonly name: string;
  readonly webhook: Target;
  /** Builds the body when it is needed: some have 8 MiB. */
  readonly body: () => string;
  /** True if the body is not JSON. */
  readonly isMalformed?: true;
}

/** Returns a JSON list of equal elements. */
export function repeated(element: string, count: number): string {
  return `[${`${element},`.repeat(count - 1)}${element}]`;
}

/** Returns objects nested in each other as JSON. */
export function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}

interface Reviewed {
  readonly object: string;
  /** The object before an update. */
  readonly old?: string | undefined;
  readonly namespace: string;
  readonly name: string;
}

/** Returns an AdmissionReview of an object, which is JSON. */
export function admissionReview({ object, old, namespace, name }: Reviewed): string {
  const objects = old === undefined ? `"object":${object}` : `"object":${object},"oldObject":${old}`;
  const operation = old === undefined ? "CREATE" : "UPDATE";
  const about = `"uid":"1","operation":"${operation}","namespace":"${namespace}","name":"${name}"`;
  const request = `{${about},"userInfo":{"username":"u"},${objects}}`;
  return `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":${request}}`;
}

/** A long text of characters that are slow to quote, to split, to match or to normalize. */
export interface HostileText {
  readonly name: string;
  /** Returns the inside of a JSON string. */
  readonly json: () => string;
}

const textBytes = 2_500_000;

const characters: readonly (readonly [name: string, json: string])[] = [
  ["backslashes", String.raw`\\`],
  ["quotes", String.raw`\"`],
  ["line breaks", String.raw`\n`],
  ["control characters", String.raw`\u0001`],
  ["unpaired surrogates", String.raw`\ud800`],
  ["accents", "é"],
  ["no-break spaces", "\u00a0"],
  ["emoji", "😀"],
  // One character that NFKC expands to 18.
  ["ligatures", "\ufdfa"],
  ["spaces", " "],
  ["digits", "1"],
  ["colons", ":"],
  ["dots", "a."],
  ["angle brackets", "<"],
];

/** Texts of 2.5 MB, one per class of characters. */
export const hostileTexts: readonly HostileText[] = characters.map(([name, json]) => ({
  name,
  json: () => json.repeat(Math.floor(textBytes / Buffer.byteLength(json))),
}));
