import {
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  maskTrailingDash,
  qualifiedNameProblems,
} from "@homeostat/core";
import { isBase64, isDate, isDateTime, isUuid } from "./openapi-formats.ts";
import { checkUrl } from "./url-parse.ts";

/** A named check of texts. */
export interface NamedFormat {
  /** How the format calls itself; two formats are equal when these are. */
  readonly name: string;
  /** The problems of a text; empty when it has the format. */
  problemsOf(text: string): readonly string[];
  /** The length of the regular expression that a check is charged for. */
  readonly chargedPatternLength: number;
}

/** The longest `name` of a format, which comparing two formats is charged for. */
export const formatNameMax = 64;

/** The longest regular expression of a format that checks a name; every check is estimated by it. */
export const namePatternMax = 128;

/** The formats by the names that expressions use. */
export const namedFormats: ReadonlyMap<string, NamedFormat> = new Map<string, NamedFormat>([
  ["dns1123Label", { name: "DNS1123Label", problemsOf: dnsLabelProblems, chargedPatternLength: 30 }],
  ["dns1123Subdomain", { name: "DNS1123Subdomain", problemsOf: dnsSubdomainProblems, chargedPatternLength: 60 }],
  ["dns1035Label", { name: "DNS1035Label", problemsOf: dns1035LabelProblems, chargedPatternLength: 30 }],
  ["qualifiedName", { name: "QualifiedName", problemsOf: qualifiedNameProblems, chargedPatternLength: 60 }],
  ["dns1123LabelPrefix", ofPrefix("DNS1123LabelPrefix", dnsLabelProblems, 30)],
  ["dns1123SubdomainPrefix", ofPrefix("DNS1123SubdomainPrefix", dnsSubdomainProblems, 60)],
  ["dns1035LabelPrefix", ofPrefix("DNS1035LabelPrefix", dns1035LabelProblems, 30)],
  ["labelValue", { name: "LabelValue", problemsOf: labelValueProblems, chargedPatternLength: 40 }],
  ["uri", { name: "URI", problemsOf: problemsOfUri, chargedPatternLength: 1103 }],
  ["uuid", yesOrNo("uuid", isUuid, "does not match the UUID format", 70)],
  ["byte", yesOrNo("byte", isBase64, "invalid base64", 84)],
  ["date", yesOrNo("date", isDate, "invalid date", 71)],
  ["datetime", yesOrNo("datetime", isDateTime, "invalid datetime", 71)],
]);

function ofPrefix(name: string, problemsOf: NamedFormat["problemsOf"], chargedPatternLength: number): NamedFormat {
  return { name, problemsOf: (text) => problemsOf(maskTrailingDash(text)), chargedPatternLength };
}

function yesOrNo(
  name: string,
  matches: (text: string) => boolean,
  problem: string,
  chargedPatternLength: number,
): NamedFormat {
  return { name, problemsOf: (text) => (matches(text) ? [] : [problem]), chargedPatternLength };
}

function problemsOfUri(text: string): string[] {
  const malformed = checkUrl(text);
  return malformed === undefined ? [] : [malformed.problem];
}
