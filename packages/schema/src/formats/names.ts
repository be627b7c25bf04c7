import { dnsLabelProblems, dnsSubdomainProblems, once, utf8Length } from "@homeostat/core";

// Letters, digits and symbols of any script; dashes only inside; the last label of several has letters alone.
const anyScript = "[a-zA-Z0-9\\p{S}\\p{L}]";
// Made on first use: to read these classes takes longer than to load the whole package.
const hostname = once(
  () =>
    new RegExp(
      `^(?:${anyScript}-?${anyScript}{0,62}|(?:${anyScript}(?:[a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${anyScript})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
      "u",
    ),
);

/** Whether a text has the format `hostname`. A name of one label may hold a dash only as its second character. */
export function isHostname(text: string): boolean {
  // The lengths first: they bound the work of the expression.
  if (text.length > 255 || utf8Length(text) > 255) return false;
  return text.split(".").every((label) => utf8Length(label) <= 63) && hostname().test(text);
}

/** Whether a text has the format `k8s-short-name`: a DNS label in lower case. */
export function isShortName(text: string): boolean {
  return dnsLabelProblems(text).length === 0;
}

/** Whether a text has the format `k8s-long-name`: short names of any length, joined by dots, 253 characters at most. */
export function isLongName(text: string): boolean {
  return dnsSubdomainProblems(text).length === 0;
}
