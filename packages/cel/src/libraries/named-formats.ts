import {
  maskTrailingDash,
  problemsOfDns1035Label,
  problemsOfDnsLabel,
  problemsOfDnsSubdomain,
  problemsOfLabelValue,
  problemsOfQualifiedName,
} from "./kubernetes-names.ts";
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
  ["dns1123Label", { name: "DNS1123Label", problemsOf: problemsOfDnsLabel, chargedPatternLength: 30 }],
  [
    "dns1123Subdomain",
    { name: "DNS1123Subdomain", problemsOf: (text) => problemsOfDnsSubdomain(text), chargedPatternLength: 60 },
  ],
  ["dns1035Label", { name: "DNS1035Label", problemsOf: problemsOfDns1035Label, chargedPatternLength: 30 }],
  ["qualifiedName", { name: "QualifiedName", problemsOf: problemsOfQualifiedName, chargedPatternLength: 60 }],
  ["dns1123LabelPrefix", ofPrefix("DNS1123LabelPrefix", problemsOfDnsLabel, 30)],
  ["dns1123SubdomainPrefix", ofPrefix("DNS1123SubdomainPrefix", (text) => problemsOfDnsSubdomain(text), 60)],
  ["dns1035LabelPrefix", ofPrefix("DNS1035LabelPrefix", problemsOfDns1035Label, 30)],
  ["labelValue", { name: "LabelValue", problemsOf: problemsOfLabelValue, chargedPatternLength: 40 }],
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

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
}

function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*$/.test(text.replace(/={1,2}$/, ""));
}

/** Whether a text is a date of the proleptic Gregorian calendar: `2024-02-29`. */
function isDate(text: string): boolean {
  const parts = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/**
 * Whether a text is a date and a time with a zone: `2024-02-29T12:00:00Z`.
 *
 * Looser than RFC 3339, as the API server is: upper and lower case are the same, any character may stand before the
 * fraction, offsets are not looked into, and a second `t` ends the text that is looked at.
 */
function isDateTime(text: string): boolean {
  const [date = "", time] = text.split(/t/i, 2);
  if (time === undefined || !isDate(date)) return false;
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:[zZ]|[+-][0-9]{2}:[0-9]{2})$/u.exec(time);
  if (parts === null) return false;
  const [, hours = "", minutes = "", seconds = ""] = parts;
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}
