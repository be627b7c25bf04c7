import { Recent } from "../storage/recent.ts";

/** A form in which objects travel. */
export type MediaType = "application/json" | "application/yaml" | "application/vnd.kubernetes.protobuf";

/** Into what an answer is to be turned: a table, or metadata alone. */
export interface Transform {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What an `Accept` header was answered with. */
export interface Negotiated {
  readonly mediaType: MediaType;
  /** `as`, `g` and `v` of the header. */
  readonly as?: Transform;
  /** `stream` of the header; `watch` is the only one. */
  readonly stream: string;
  /** Whether the answer is to be indented. */
  readonly isPretty: boolean;
  /** `profile` of the header, which aggregated discovery knows. */
  readonly profile: string;
}

/** What an endpoint can answer with. */
export interface Offer {
  readonly mediaTypes: readonly MediaType[];
  /** Whether an endpoint takes a transform, or (without one) gives the object itself, in a media type. */
  readonly allows: (mediaType: MediaType, as: Transform | undefined) => boolean;
  /** Whether it can name its own version (`sv`). */
  readonly serverVersion?: string;
}

/** All media types, the one that is taken for `*` first. */
export const mediaTypes: readonly MediaType[] = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

/** What the endpoints of stored resources offer. Custom resources are never given in protobuf themselves. */
export function resourceOffer({ isCustom }: { readonly isCustom: boolean }): Offer {
  return {
    mediaTypes,
    serverVersion: "v1",
    allows: (mediaType, as) => {
      const isProtobuf = mediaType === "application/vnd.kubernetes.protobuf";
      if (as === undefined) return !(isCustom && isProtobuf);
      if (as.group !== "meta.k8s.io" || (as.version !== "v1" && as.version !== "v1beta1")) return false;
      if (as.kind === "Table") return !isProtobuf;
      return as.kind === "PartialObjectMetadata" || as.kind === "PartialObjectMetadataList";
    },
  };
}

/** What every other endpoint offers: no transforms. */
export const plainOffer: Offer = { mediaTypes, allows: (_mediaType, as) => as === undefined };

/** The media types that a 406 or 415 lists: all of them, whoever is asked. For watches, those that can be streamed. */
export function listedMediaTypes({ isStream }: { readonly isStream: boolean }): string[] {
  if (!isStream) return [...mediaTypes];
  return mediaTypes.filter((each) => each !== "application/yaml").map((each) => `${each};stream=watch`);
}

/** One media range of an `Accept` header. */
export interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Chooses the form of an answer by the `Accept` header of the request; undefined when nothing suits (406).
 *
 * Clauses are tried in the order of their quality, and each with all that is offered; a clause that asks for something
 * the endpoint does not give is passed over.
 */
export function negotiateAccept(header: string, offer: Offer): Negotiated | undefined {
  const [first] = offer.mediaTypes;
  if (header === "" && first !== undefined) return { mediaType: first, stream: "", isPretty: false, profile: "" };
  for (const clause of parseAccept(header)) {
    for (const mediaType of offer.mediaTypes) {
      const negotiated = matches(clause, mediaType) ? accept(clause, mediaType, offer) : undefined;
      if (negotiated !== undefined) return negotiated;
    }
  }
  return undefined;
}

/** Clients send the same header again and again. */
const known = new Recent<readonly Clause[]>({ countMax: 64, lengthMax: 16 * 1024 });

/** Returns the clauses of an `Accept` header, the preferred one first. */
export function parseAccept(header: string): readonly Clause[] {
  const before = known.get(header);
  if (before !== undefined) return before;
  const clauses = readClauses(header);
  known.keep(header, clauses);
  return clauses;
}

function matches({ type, subtype }: Clause, mediaType: MediaType): boolean {
  if (type === "*") return subtype === "*";
  return type === "application" && (subtype === "*" || `application/${subtype}` === mediaType);
}

function accept({ parameters }: Clause, mediaType: MediaType, offer: Offer): Negotiated | undefined {
  const stream = parameters.get("stream") ?? "";
  if (stream !== "" && (stream !== "watch" || mediaType === "application/yaml")) return undefined;
  const version = parameters.get("sv") ?? "";
  if (version !== "" && version !== offer.serverVersion) return undefined;
  const isTransform = ["as", "g", "v"].some((name) => parameters.has(name));
  const as = {
    group: parameters.get("g") ?? "",
    version: parameters.get("v") ?? "",
    kind: parameters.get("as") ?? "",
  };
  if (!offer.allows(mediaType, isTransform ? as : undefined)) return undefined;
  const isPretty = parameters.get("pretty") === "1";
  const profile = parameters.get("profile") ?? "";
  return { mediaType, stream, isPretty, profile, ...(isTransform ? { as } : {}) };
}

/** A header longer than this is nobody's; its rest is not looked at. */
const clausesMax = 64;

function readClauses(header: string): Clause[] {
  const clauses = header
    .split(",")
    .slice(0, clausesMax)
    .flatMap((part) => readClause(trim(part)) ?? []);
  // The order is not one that sorting in general can rely on (a better quality and a more exact type both count as
  // "before"), so it is put in place one by one, as the real server does with a dozen clauses or fewer.
  for (let i = 1; i < clauses.length; i += 1) {
    for (let j = i; j > 0 && isBefore(clauses[j], clauses[j - 1]); j -= 1) {
      const [a, b] = [clauses[j - 1], clauses[j]];
      if (a !== undefined && b !== undefined) [clauses[j - 1], clauses[j]] = [b, a];
    }
  }
  return clauses;
}

function isBefore(a: Clause | undefined, b: Clause | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.quality > b.quality) return true;
  return (a.type !== "*" && b.type === "*") || (a.subtype !== "*" && b.subtype === "*");
}

function readClause(part: string): Clause | undefined {
  const [range = "", ...rest] = part.split(";");
  const [left = "", right = "", ...more] = range.split("/");
  const type = trim(left);
  if (right === "" && type !== "*") return undefined;
  // A slash more is tolerated when nothing follows it.
  if (more.join("/") !== "") return undefined;
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const parameter of rest) {
    const [name = "", value = "", ...tail] = parameter.split("=");
    if (value === "" || tail.join("=") !== "") continue;
    if (trim(name) === "q") quality = readQuality(value);
    else parameters.set(trim(name), trim(value));
  }
  return { type, subtype: right === "" ? "*" : trim(right), quality, parameters };
}

/** What is no number counts as nothing. */
function readQuality(text: string): number {
  return /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : 0;
}

function trim(text: string): string {
  return text.replace(/^ +| +$/g, "");
}

/** The media type of a body by its `Content-Type` header, in lower case; undefined when the header is none. */
export function readContentType(header: string): string | undefined {
  const at = header.indexOf(";");
  const type = (at < 0 ? header : header.slice(0, at)).trim().toLowerCase();
  if (!mediaTypePattern.test(type)) return undefined;
  const seen = new Map<string, string>();
  let rest = at < 0 ? "" : header.slice(at);
  while (rest !== "") {
    const found = parameterPattern.exec(rest);
    if (found === null) return /^;?\s*$/.test(rest) ? type : undefined;
    const name = (found[1] ?? "").toLowerCase();
    const value = found[2] ?? "";
    if (seen.has(name) && seen.get(name) !== value) return undefined;
    seen.set(name, value);
    rest = rest.slice(found[0].length).trimStart();
  }
  return type;
}

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const mediaTypePattern = new RegExp(`^${token}/${token}$`);
const parameterPattern = new RegExp(`^;\\s*(${token})\\s*=\\s*(${token}|"(?:[^"\\\\]|\\\\.)*")`);

/** The form of a body, or undefined when it is in none that is read here (415). No header means JSON. */
export function negotiateContentType(header: string): MediaType | undefined {
  const type = readContentType(header === "" ? "application/json" : header);
  return mediaTypes.find((each) => each === type);
}
