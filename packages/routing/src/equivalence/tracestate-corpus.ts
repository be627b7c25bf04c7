import type { HeaderCase } from "./baggage-corpus.ts";

const key = "k3v9q2m7x1c4d";
const other = "g7h2t5n8w0z3b";
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${parentId}-01`;
const invalid = ["invalid_key"] as const;

/** Values of `tracestate`, read with the default settings. */
export const tracestateCorpus: readonly HeaderCase[] = [
  // Valid members
  { name: "one member", header: `routing-key=${key}`, traceparent, key },
  { name: "the older name", header: `sd-routing-key=${key}`, traceparent, key },
  { name: "without traceparent", header: `routing-key=${key}`, key },
  { name: "first of several", header: `routing-key=${key},congo=t61rcWkgMzE`, traceparent, key },
  { name: "last of several", header: `rojo=00f067aa0ba902b7,congo=t61rcWkgMzE,routing-key=${key}`, traceparent, key },
  { name: "after a name with a tenant", header: `fw529a3039@dt=FfAAAAAA,routing-key=${key}`, traceparent, key },
  { name: "no key", header: "rojo=00f067aa0ba902b7", traceparent, key: undefined },
  {
    name: "later version of traceparent",
    header: `routing-key=${key}`,
    traceparent: `01-${traceId}-${parentId}-01-x`,
    key,
  },

  // Whitespace and empty members
  { name: "spaces after commas", header: `rojo=1, routing-key=${key}`, traceparent, key },
  { name: "tabs around commas", header: `rojo=1\t,\trouting-key=${key}\t,congo=2`, traceparent, key },
  { name: "spaces at the end of the value", header: `routing-key=${key}  ,rojo=1`, traceparent, key },
  {
    name: "space at the start of the value",
    header: `routing-key= ${key}`,
    traceparent,
    key: undefined,
    counted: invalid,
  },
  { name: "space before the equals sign", header: `routing-key =${key}`, traceparent, key: undefined },
  { name: "empty members", header: `,, ,routing-key=${key},,`, traceparent, key },
  { name: "empty header", header: "", traceparent, key: undefined },
  { name: "repeated header", header: ["rojo=1", `routing-key=${key}`], traceparent, key },

  // Duplicates
  { name: "same member twice", header: `routing-key=${key},routing-key=${other}`, traceparent, key },
  { name: "first occurrence is malformed", header: `routing-key=a=b,routing-key=${key}`, traceparent, key },
  {
    name: "first occurrence is no key",
    header: `routing-key=A_B,routing-key=${key}`,
    traceparent,
    key: undefined,
    counted: invalid,
  },
  {
    name: "both names with different keys, the first name wins",
    header: `sd-routing-key=${other},routing-key=${key}`,
    traceparent,
    key,
    counted: ["key_conflict"],
  },

  // Malformed members and invalid keys
  { name: "malformed members before the key", header: `ROJO=1,rojo,=2,routing-key=${key}`, traceparent, key },
  { name: "empty value", header: `routing-key=,rojo=1`, traceparent, key: undefined },
  { name: "value with an equals sign", header: `routing-key=${key}=1`, traceparent, key: undefined },
  { name: "value outside of ASCII", header: `routing-key=${key}\u00e9`, traceparent, key: undefined },
  { name: "value with a control character", header: `routing-key=${key}\u0001`, traceparent, key: undefined },
  { name: "value with a property", header: `routing-key=${key};a=1`, traceparent, key: undefined },
  { name: "value with percent-encoding", header: "routing-key=%61bc", traceparent, key: undefined, counted: invalid },
  {
    name: "value of 256 characters",
    header: `routing-key=${"a".repeat(256)}`,
    traceparent,
    key: undefined,
    counted: invalid,
  },
  { name: "value of 257 characters", header: `routing-key=${"a".repeat(257)}`, traceparent, key: undefined },
  { name: "name in upper case", header: `Routing-Key=${key}`, traceparent, key: undefined },
  { name: "name with a tenant", header: `routing-key@shop=${key}`, traceparent, key: undefined },
  { name: "name with a prefix", header: `x-routing-key=${key}`, traceparent, key: undefined },

  // Limits
  { name: "member 32", header: `${"a=1,".repeat(31)}routing-key=${key}`, traceparent, key },
  { name: "member 33", header: `${"a=1,".repeat(32)}routing-key=${key}`, traceparent, key: undefined },
  { name: "empty members do not count", header: `${",".repeat(40)}routing-key=${key}`, traceparent, key },

  // Malformed traceparent: tracestate belongs to no trace
  { name: "traceparent is empty", header: `routing-key=${key}`, traceparent: "", key: undefined },
  {
    name: "traceparent is too short",
    header: `routing-key=${key}`,
    traceparent: traceparent.slice(0, -1),
    key: undefined,
  },
  {
    name: "traceparent is too long for its version",
    header: `routing-key=${key}`,
    traceparent: `${traceparent}-x`,
    key: undefined,
  },
  {
    name: "traceparent has the invalid version",
    header: `routing-key=${key}`,
    traceparent: `ff-${traceId}-${parentId}-01`,
    key: undefined,
  },
  {
    name: "traceparent has a trace ID of zeros",
    header: `routing-key=${key}`,
    traceparent: `00-${"0".repeat(32)}-${parentId}-01`,
    key: undefined,
  },
  {
    name: "traceparent has a parent ID of zeros",
    header: `routing-key=${key}`,
    traceparent: `00-${traceId}-${"0".repeat(16)}-01`,
    key: undefined,
  },
  {
    name: "traceparent in upper case",
    header: `routing-key=${key}`,
    traceparent: traceparent.toUpperCase(),
    key: undefined,
  },
  {
    name: "later version of traceparent without a dash after the flags",
    header: `routing-key=${key}`,
    traceparent: `01-${traceId}-${parentId}-01x`,
    key: undefined,
  },
];
