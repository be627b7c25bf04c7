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

/** A named string format. */
export interface NamedFormat {
  /** Name of the format. Formats are equal if their names are. */
  readonly name: string;
  /** Returns the problems of a string; empty if it has the format. */
  problemsOf(text: string): readonly string[];
  /** Length of the regular expression that determines the cost of a check. */
  readonly chargedPatternLength: number;
}

/** Maximum length of a format name, which determines the cost of comparing formats. */
export const formatNameMax = 64;

/** Maximum length of the regular expression of a format, which determines the estimated cost of a check. */
export const namePatternMax = 128;

/** The formats by their names in expressions. */
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
