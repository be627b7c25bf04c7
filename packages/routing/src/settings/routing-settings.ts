import { isList, withoutUndefined } from "@homeostat/core";
import { type FieldProblem, FieldReader, ProblemList, type TextRule } from "../checks/field-reader.ts";
import { isToken, keyHeaderProblem } from "../checks/header-names.ts";

/** A header that a RouteGroup reads its keys from. It is used only for these keys, so a group cannot claim a header of others. */
export interface GroupHeader {
  readonly name: string;
  readonly routingKeys: readonly string[];
}

/** Configuration of routing: the part `routing` of the operator's configuration, as it is pushed to proxies. */
export interface RoutingSettings {
  /** Names of baggage and tracestate members that carry the key, in order. The first one is written. */
  readonly keyNames: readonly string[];
  /** Headers that carry the key and nothing else, in order. Lower case, like all header names here. */
  readonly explicitHeaders: readonly string[];
  /** Headers of RouteGroups, read after the explicit ones. */
  readonly groupHeaders: readonly GroupHeader[];
  /** Headers with which older tracers propagate a single baggage member. */
  readonly compatHeaders: readonly string[];
  readonly customHeaders: readonly string[];
  readonly tracestate: TracestateSettings;
  /** Forms in which the key is written: `baggage` or names of explicit headers. */
  readonly inject: readonly string[];
  /** True if responses to requests with a key name the route in `x-sandbox-route`. */
  readonly debugResponseHeader: boolean;
  /** True if the gateway accepts keys in headers, cookies and queries of requests from outside. */
  readonly acceptExternalKeys: boolean;
  /** Share of the traces whose requests proxies report, to find services that lose the key. 0 switches reports off. */
  readonly auditPercent: number;
}

/** Use of the header `tracestate`. */
export interface TracestateSettings {
  readonly read: boolean;
  /** True if tracestate is ignored without a valid traceparent. A malformed traceparent always has this effect. */
  readonly requireTraceparent: boolean;
}

/** The settings that apply where the configuration has none. */
export const defaultRoutingSettings: RoutingSettings = {
  keyNames: ["routing-key", "sd-routing-key"],
  explicitHeaders: ["x-routing-key", "x-route-key"],
  groupHeaders: [],
  compatHeaders: [
    "ot-baggage-sd-routing-key",
    "uberctx-sd-routing-key",
    "ot-baggage-routing-key",
    "uberctx-routing-key",
  ],
  customHeaders: [],
  tracestate: { read: true, requireTraceparent: false },
  inject: ["baggage", "x-routing-key"],
  debugResponseHeader: true,
  acceptExternalKeys: false,
  auditPercent: 10,
};

/** Settings read from JSON, and the fields that were invalid and have their default. */
export interface ParsedSettings {
  readonly settings: RoutingSettings;
  readonly problems: readonly FieldProblem[];
}

/** Every request is searched for every name, so the number of names is limited. */
const namesMax = 16;
const groupHeadersMax = 64;
const groupKeysMax = 1000;

/** Reads the part `routing` of the configuration. Absent and invalid fields get their default; invalid elements of a list are omitted. */
export function parseRoutingSettings(value: unknown): ParsedSettings {
  const problems = new ProblemList();
  const reader = FieldReader.of(value ?? {}, "routing", problems);
  if (reader === undefined) return { settings: defaultRoutingSettings, problems: problems.list() };
  const explicitHeaders = headerNames(reader, "explicitHeaders");
  const tracestate = reader.optionalObject("tracestate");
  const read = {
    keyNames: nonEmpty(reader, "keyNames", reader.optionalTexts("keyNames", namesMax, memberNameProblem)),
    explicitHeaders,
    groupHeaders: reader.optionalList("groupHeaders", groupHeadersMax, (each, path) =>
      groupHeader(each, path, problems),
    ),
    compatHeaders: headerNames(reader, "compatHeaders"),
    customHeaders: headerNames(reader, "customHeaders"),
    inject: injectedForms(reader, explicitHeaders ?? defaultRoutingSettings.explicitHeaders),
    debugResponseHeader: reader.optionalBoolean("debugResponseHeader"),
    acceptExternalKeys: reader.optionalBoolean("acceptExternalKeys"),
    auditPercent: reader.optionalInteger("auditPercent", { min: 0, max: 100 }),
  };
  const settings: RoutingSettings = {
    ...defaultRoutingSettings,
    ...withoutUndefined(read),
    tracestate: {
      ...defaultRoutingSettings.tracestate,
      ...withoutUndefined({
        read: tracestate?.optionalBoolean("read"),
        requireTraceparent: tracestate?.optionalBoolean("requireTraceparent"),
      }),
    },
  };
  return { settings, problems: problems.list() };
}

function headerNames(reader: FieldReader, name: string): readonly string[] | undefined {
  return lowerCaseTexts(reader, name, keyHeaderProblem);
}

/** Returns the valid texts of a list in lower case; undefined if it has elements and none of them is valid. */
function lowerCaseTexts(reader: FieldReader, name: string, rule: TextRule): readonly string[] | undefined {
  const valid = reader.optionalTexts(name, namesMax, rule);
  const given = reader.raw(name);
  if (valid?.length === 0 && isList(given) && given.length > 0) return undefined;
  return valid?.map((each) => each.toLowerCase());
}

/** Returns the forms to write. A header that is not read as a key would be of no use to the next proxy. */
function injectedForms(reader: FieldReader, explicitHeaders: readonly string[]): readonly string[] | undefined {
  const forms = ["baggage", ...explicitHeaders];
  const rule = (text: string): string | undefined =>
    forms.includes(text.toLowerCase()) ? undefined : `must be one of ${forms.join(", ")}`;
  return lowerCaseTexts(reader, "inject", rule);
}

function groupHeader(value: unknown, path: string, problems: ProblemList): GroupHeader | undefined {
  const before = problems.count;
  const reader = FieldReader.of(value, path, problems);
  if (reader === undefined) return undefined;
  const name = reader.text("name", keyHeaderProblem).toLowerCase();
  const routingKeys = reader.optionalTexts("routingKeys", groupKeysMax, () => undefined) ?? [];
  return problems.count === before ? { name, routingKeys } : undefined;
}

function memberNameProblem(text: string): string | undefined {
  // Both grammars: a token of HTTP for baggage, and lower case for tracestate.
  const isName = isToken(text) && /^[a-z0-9][a-z0-9_\-*/@]{0,255}$/.test(text);
  return isName ? undefined : "must be a lower-case name such as routing-key";
}

function nonEmpty(
  reader: FieldReader,
  name: string,
  list: readonly string[] | undefined,
): readonly string[] | undefined {
  if (list === undefined || list.length > 0) return list;
  reader.fail(name, "must have at least one name; remove the field for the default");
  return undefined;
}
