import { Recent } from "../storage/recent.ts";

/** A serialization format of objects. */
export type MediaType = "application/json" | "application/yaml" | "application/vnd.kubernetes.protobuf";

/** The kind that a response should be converted to: a table, or metadata only. */
export interface Transform {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The result of negotiating an `Accept` header. */
export interface Negotiated {
  readonly mediaType: MediaType;
  /** The parameters `as`, `g` and `v`. */
  readonly as?: Transform;
  /** The parameter `stream`; the only value is `watch`. */
  readonly stream: string;
  /** True if the response should be indented. */
  readonly isPretty: boolean;
  /** The parameter `profile`, used by aggregated discovery. */
  readonly profile: string;
}

/** The formats that an endpoint can respond with. */
export interface Offer {
  readonly mediaTypes: readonly MediaType[];
  /** Reports whether the endpoint supports a transform in a media type, or the object itself if `as` is undefined. */
  readonly allows: (mediaType: MediaType, as: Transform | undefined) => boolean;
  /** Value that the parameter `sv` may have; undefined if none is allowed. */
  readonly serverVersion?: string;
}

/** All media types; the first is used for `*`. */
export const mediaTypes: readonly MediaType[] = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

/** Returns the offer of resource endpoints. Custom resources have no protobuf form. */
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

/** The offer of all other endpoints: no transforms. */
export const plainOffer: Offer = { mediaTypes, allows: (_mediaType, as) => as === undefined };

/** Returns the media types that a 406 or 415 lists: always all, or those that support streaming for watches. */
export function listedMediaTypes({ isStream }: { readonly isStream: boolean }): string[] {
  if (!isStream) return [...mediaTypes];
  return mediaTypes.filter((each) => each !== "application/yaml").map((each) => `${each};stream=watch`);
}

/** A media range of an `Accept` header. */
export interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Selects the response format by the `Accept` header; undefined if no clause can be satisfied (406).
 *
 * Clauses are tried in order of preference, each with all offered media types. A clause with a parameter that the
 * endpoint does not support is skipped.
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

/** Clients send the same headers again and again. */
const parsedHeaders = new Recent<readonly Clause[]>({ countMax: 64, lengthMax: 16 * 1024 });

/** Returns the clauses of an `Accept` header, the preferred one first. */
export function parseAccept(header: string): readonly Clause[] {
  const cached = parsedHeaders.get(header);
  if (cached !== undefined) return cached;
  const clauses = readClauses(header);
  parsedHeaders.keep(header, clauses);
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

/** No real header has more clauses; the rest is ignored to bound the work. */
const clausesMax = 64;

function readClauses(header: string): Clause[] {
  const clauses = header
    .split(",")
    .slice(0, clausesMax)
    .flatMap((part) => readClause(trim(part)) ?? []);
  // `isBefore` is not a consistent order (a higher quality and a more specific type both count as "before"), so the
  // result of a general sort would be undefined. Insertion sort gives the result of the real server, whose sort uses it
  // for up to twelve elements.
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
  // An additional slash is tolerated if nothing follows it.
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

/** A quality that is not a number counts as 0. */
function readQuality(text: string): number {
  return /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : 0;
}

function trim(text: string): string {
  return text.replace(/^ +| +$/g, "");
}

/** Returns the media type of a `Content-Type` header in lower case; undefined if the header is malformed. */
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

/** Returns the format of a body; undefined if it is not supported (415). Without a header, JSON is assumed. */
export function negotiateContentType(header: string): MediaType | undefined {
  const type = readContentType(header === "" ? "application/json" : header);
  return mediaTypes.find((each) => each === type);
}
