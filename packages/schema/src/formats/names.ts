import { dnsLabelProblems, dnsSubdomainProblems, once, utf8Length } from "@homeostat/core";

// Letters and symbols of any script and digits; dashes only inside; the last of several labels has only letters.
const anyScript = "[a-zA-Z0-9\\p{S}\\p{L}]";
// Compiled on first use: compiling these Unicode classes takes longer than loading the whole package.
const hostname = once(
  () =>
    new RegExp(
      `^(?:${anyScript}-?${anyScript}{0,62}|(?:${anyScript}(?:[a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${anyScript})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
      "u",
    ),
);

/** Reports whether a string has the format `hostname`. A name of one label may have a dash only as its second character. */
export function isHostname(text: string): boolean {
  // Check the lengths first: they bound the time of the regular expression.
  if (text.length > 255 || utf8Length(text) > 255) return false;
  return text.split(".").every((label) => utf8Length(label) <= 63) && hostname().test(text);
}

/** Reports whether a string has the format `k8s-short-name`: a lowercase DNS label. */
export function isShortName(text: string): boolean {
  return dnsLabelProblems(text).length === 0;
}

/** Reports whether a string has the format `k8s-long-name`: a lowercase DNS subdomain of at most 253 characters. */
export function isLongName(text: string): boolean {
  return dnsSubdomainProblems(text).length === 0;
}
