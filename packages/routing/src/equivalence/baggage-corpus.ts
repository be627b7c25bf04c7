import type { RoutingErrorReason } from "../key/key-steps.ts";

/** A header with the key that a proxy must read from it. */
export interface HeaderCase {
  readonly name: string;
  /** Value of the header, one code unit per byte; several if the header is repeated. */
  readonly header: string | readonly string[];
  /** Value of `traceparent`, if the request has one. */
  readonly traceparent?: string;
  /** The key; undefined if the header has none. */
  readonly key: string | undefined;
  /** Errors that are counted. Default none. */
  readonly counted?: readonly RoutingErrorReason[];
}

const key = "k3v9q2m7x1c4d";
const other = "g7h2t5n8w0z3b";
/** 63 characters, the longest key. */
const longest = `${"a1-".repeat(20)}xyz`;
const invalid = ["invalid_key"] as const;
const truncated = ["baggage_truncated"] as const;

/** Values of `baggage`, read with the default settings. */
export const baggageCorpus: readonly HeaderCase[] = [
  // Valid members
  { name: "one member", header: `routing-key=${key}`, key },
  { name: "the older name", header: `sd-routing-key=${key}`, key },
  { name: "first of several members", header: `routing-key=${key},user=7,tenant=blue`, key },
  { name: "in the middle", header: `user=7,routing-key=${key},tenant=blue`, key },
  { name: "last of several members", header: `user=7,tenant=blue,routing-key=${key}`, key },
  { name: "shortest key", header: "routing-key=abc", key: "abc" },
  { name: "longest key", header: `routing-key=${longest}`, key: longest },
  { name: "key of digits", header: "routing-key=12345", key: "12345" },
  { name: "key with dashes", header: "routing-key=pr-42-cart", key: "pr-42-cart" },
  { name: "key with two dashes in a row", header: "routing-key=a--b", key: "a--b" },
  { name: "reserved word, which no sandbox has", header: "routing-key=baseline", key: "baseline" },
  { name: "no key", header: "user=7,tenant=blue", key: undefined },

  // Whitespace
  { name: "spaces after commas", header: `user=7, routing-key=${key}, tenant=blue`, key },
  { name: "spaces before commas", header: `user=7 ,routing-key=${key} ,tenant=blue`, key },
  { name: "spaces around the equals sign", header: `routing-key = ${key}`, key },
  { name: "tabs around the equals sign", header: `routing-key\t=\t${key}`, key },
  { name: "spaces and tabs everywhere", header: ` \t routing-key \t = \t ${key} \t `, key },
  { name: "space inside of the value", header: "routing-key=abc def", key: undefined, counted: invalid },
  { name: "space inside of the name", header: `routing key=${key}`, key: undefined },
  { name: "non-breaking space before the value", header: `routing-key=\u00a0${key}`, key: undefined, counted: invalid },

  // Properties
  { name: "property", header: `routing-key=${key};ttl=30`, key },
  { name: "property without value", header: `routing-key=${key};internal`, key },
  { name: "several properties with spaces", header: `routing-key=${key} ; a=1 ; b ; c=2`, key },
  { name: "empty property", header: `routing-key=${key};`, key },
  { name: "property named like the key", header: `user=7;routing-key=${other}`, key: undefined },
  { name: "property named like the key, then the key", header: `user=7;routing-key=${other},routing-key=${key}`, key },
  { name: "semicolon before the value", header: `routing-key=;${key}`, key: undefined },

  // Percent-encoding
  { name: "encoded letter", header: "routing-key=%61bc", key: "abc" },
  { name: "encoded letters, hexadecimal digits in both cases", header: "routing-key=%6a%6B%6c", key: "jkl" },
  { name: "encoded dash", header: "routing-key=pr%2d42", key: "pr-42" },
  { name: "everything encoded", header: "routing-key=%61%62%63", key: "abc" },
  { name: "encoded comma", header: "routing-key=abc%2Cdef", key: undefined, counted: invalid },
  { name: "encoded space", header: "routing-key=abc%20", key: undefined, counted: invalid },
  { name: "encoded percent sign", header: "routing-key=abc%25", key: undefined, counted: invalid },
  { name: "encoded twice", header: "routing-key=%2561bc", key: undefined, counted: invalid },
  { name: "percent sign without digits", header: "routing-key=abc%", key: undefined, counted: invalid },
  { name: "percent sign with one digit", header: "routing-key=abc%6", key: undefined, counted: invalid },
  { name: "percent sign without hexadecimal digits", header: "routing-key=abc%zz", key: undefined, counted: invalid },
  { name: "invalid UTF-8", header: "routing-key=abc%ff", key: undefined, counted: invalid },
  { name: "half of a UTF-8 sequence", header: "routing-key=abc%c3", key: undefined, counted: invalid },
  { name: "letter outside of ASCII", header: "routing-key=caf%C3%A9", key: undefined, counted: invalid },
  { name: "encoded NUL", header: "routing-key=abc%00", key: undefined, counted: invalid },
  { name: "encoded upper-case letter", header: "routing-key=%41bc", key: undefined, counted: invalid },
  { name: "encoded name", header: `routing%2Dkey=${key}`, key: undefined },

  // Duplicates
  { name: "same member twice", header: `routing-key=${key},routing-key=${other}`, key },
  {
    name: "first occurrence is invalid",
    header: `routing-key=A_B,routing-key=${key}`,
    key: undefined,
    counted: invalid,
  },
  { name: "first occurrence is empty", header: `routing-key=,routing-key=${key}`, key: undefined },
  { name: "first occurrence has no equals sign", header: `routing-key,routing-key=${key}`, key },
  { name: "both names with one key", header: `sd-routing-key=${key},routing-key=${key}`, key },
  {
    name: "both names with different keys, the first name wins",
    header: `sd-routing-key=${other},routing-key=${key}`,
    key,
    counted: ["key_conflict"],
  },
  {
    name: "invalid under the first name, valid under the second",
    header: `routing-key=A_B,sd-routing-key=${key}`,
    key,
    counted: invalid,
  },
  { name: "empty under the first name, valid under the second", header: `routing-key=,sd-routing-key=${key}`, key },
  { name: "repeated header, key in the second", header: ["user=7", `routing-key=${key}`], key },
  { name: "repeated header, key in both", header: [`routing-key=${key}`, `routing-key=${other}`], key },
  { name: "repeated header, the first empty", header: ["", `routing-key=${key}`], key },
  { name: "repeated header, a member split over both", header: ["routing-key", `=${key}`], key: undefined },

  // Malformed members and invalid keys
  { name: "empty header", header: "", key: undefined },
  { name: "only commas", header: ",,,,", key: undefined },
  { name: "empty members before the key", header: `,, ,routing-key=${key}`, key },
  { name: "member without a name before the key", header: `=7,routing-key=${key}`, key },
  { name: "member without an equals sign before the key", header: `user,routing-key=${key}`, key },
  { name: "name with an invalid character before the key", header: `us(er=7,routing-key=${key}`, key },
  { name: "control character before the key", header: `user=\u0001,routing-key=${key}`, key },
  { name: "bytes outside of ASCII before the key", header: `user=\u00ff\u00fe,routing-key=${key}`, key },
  { name: "empty value", header: "routing-key=", key: undefined },
  { name: "value of spaces", header: "routing-key=  ", key: undefined },
  { name: "value with an equals sign", header: `routing-key=${key}=1`, key: undefined, counted: invalid },
  { name: "two equals signs", header: `routing-key==${key}`, key: undefined, counted: invalid },
  { name: "quoted value", header: `routing-key="${key}"`, key: undefined, counted: invalid },
  { name: "name in upper case", header: `Routing-Key=${key}`, key: undefined },
  { name: "name with a prefix", header: `x-routing-key=${key}`, key: undefined },
  { name: "name with a suffix", header: `routing-key2=${key}`, key: undefined },
  { name: "name as a value", header: `user=routing-key,tenant=${key}`, key: undefined },
  { name: "name as a value, then the key", header: `user=routing-key,routing-key=${key}`, key },
  { name: "value in upper case", header: "routing-key=ABC", key: undefined, counted: invalid },
  { name: "value with an underscore", header: "routing-key=a_b", key: undefined, counted: invalid },
  { name: "value with a dash at the start", header: "routing-key=-abc", key: undefined, counted: invalid },
  { name: "value with a dash at the end", header: "routing-key=abc-", key: undefined, counted: invalid },
  { name: "value of two characters", header: "routing-key=ab", key: undefined, counted: invalid },
  { name: "value of 64 characters", header: `routing-key=${"a".repeat(64)}`, key: undefined, counted: invalid },
  { name: "value of 4000 characters", header: `routing-key=${"a".repeat(4000)}`, key: undefined, counted: invalid },
  {
    name: "value of 129 characters that decodes to 43",
    header: `routing-key=${"%61".repeat(43)}`,
    key: undefined,
    counted: invalid,
  },
  {
    name: "value of 126 characters that decodes to 42",
    header: `routing-key=${"%61".repeat(42)}`,
    key: "a".repeat(42),
  },

  // Limits
  { name: "member 180", header: `${"a=1,".repeat(179)}routing-key=${key}`, key },
  { name: "member 181", header: `${"a=1,".repeat(180)}routing-key=${key}`, key: undefined, counted: truncated },
  { name: "key first, then 200 members", header: `routing-key=${key}${",a=1".repeat(200)}`, key, counted: truncated },
  { name: "empty members count", header: `${",".repeat(180)}routing-key=${key}`, key: undefined, counted: truncated },
  {
    name: "8192 bytes, key at the end",
    header: `user=${"x".repeat(8192 - 6 - 12 - key.length)},routing-key=${key}`,
    key,
  },
  {
    name: "8193 bytes, key at the end",
    header: `user=${"x".repeat(8193 - 6 - 12 - key.length)},routing-key=${key}`,
    key: undefined,
    counted: truncated,
  },
  {
    name: "key first, then 9000 bytes",
    header: `routing-key=${key},user=${"x".repeat(9000)}`,
    key,
    counted: truncated,
  },
  { name: "one member of 9000 bytes", header: `user=${"x".repeat(9000)}`, key: undefined, counted: truncated },
  {
    name: "key with properties beyond the limit",
    header: `user=7,routing-key=${key};p=${"x".repeat(9000)}`,
    key: undefined,
    counted: truncated,
  },
  {
    name: "repeated headers, together too long",
    header: [`user=${"x".repeat(8000)}`, `tenant=${"y".repeat(400)},routing-key=${key}`],
    key: undefined,
    counted: truncated,
  },
];
