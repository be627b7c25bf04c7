import type { RoutingSettings } from "../settings/routing-settings.ts";
import { defaultRoutingSettings } from "../settings/routing-settings.ts";
import type { EquivalenceCase, ExpectedOutcome, Feature } from "./case.ts";
import {
  groupKey,
  makeCase,
  noEntry,
  noKey,
  pr42Key,
  pr7Key,
  toPr42,
  toPr7,
  unknown,
  unknownKey,
} from "./sample-routes.ts";

/** A way to carry a key. */
interface KeyForm {
  readonly name: string;
  readonly feature: Feature;
  readonly field: (key: string) => readonly [name: string, value: string];
}

const forms: readonly KeyForm[] = [
  header("x-routing-key", "explicit-header"),
  header("x-route-key", "explicit-header"),
  { name: "baggage", feature: "baggage", field: (key) => ["baggage", `user=7,routing-key=${key},tenant=blue`] },
  { name: "baggage, older name", feature: "baggage", field: (key) => ["baggage", `sd-routing-key=${key}`] },
  header("ot-baggage-sd-routing-key", "compat-header"),
  header("uberctx-sd-routing-key", "compat-header"),
  header("ot-baggage-routing-key", "compat-header"),
  header("uberctx-routing-key", "compat-header"),
  { name: "tracestate", feature: "tracestate", field: (key) => ["tracestate", `rojo=1,routing-key=${key}`] },
  { name: "tracestate, older name", feature: "tracestate", field: (key) => ["tracestate", `sd-routing-key=${key}`] },
];

function header(name: string, feature: Feature): KeyForm {
  return { name, feature, field: (key) => [name, key] };
}

/** Every form, with keys of each kind. */
const perForm: readonly EquivalenceCase[] = forms.flatMap(({ name, feature, field }) => [
  makeCase(`${name}: key of a sandbox`, [feature], { request: { headers: [field(pr42Key)] } }, toPr42),
  makeCase(`${name}: key of another sandbox`, [feature], { request: { headers: [field(pr7Key)] } }, toPr7),
  makeCase(`${name}: key of a RouteGroup`, [feature], { request: { headers: [field(groupKey)] } }, toPr42),
  makeCase(`${name}: unknown key`, [feature], { request: { headers: [field(unknownKey)] } }, unknown),
  makeCase(
    `${name}: value in upper case`,
    [feature, "invalid-key"],
    { request: { headers: [field(pr42Key.toUpperCase())] }, counted: ["invalid_key"] },
    noKey,
  ),
]);

/** Details of single forms. */
const details: readonly EquivalenceCase[] = [
  makeCase("no key at all", [], {}, noKey),
  makeCase("other headers only", [], { request: { headers: [["x-user", pr42Key]] } }, noKey),
  makeCase(
    "header name in mixed case",
    ["explicit-header"],
    { request: { headers: [["X-Routing-Key", pr42Key]] } },
    toPr42,
  ),
  makeCase(
    "explicit header with spaces around the key",
    ["explicit-header"],
    { request: { headers: [["x-routing-key", ` ${pr42Key} `]] } },
    toPr42,
  ),
  makeCase("empty explicit header", ["explicit-header"], { request: { headers: [["x-routing-key", ""]] } }, noKey),
  makeCase(
    "key of a part of a known one",
    ["explicit-header"],
    { request: { headers: [["x-routing-key", pr42Key.slice(0, -1)]] } },
    unknown,
  ),
  makeCase(
    "explicit header with two keys joined by a comma",
    ["explicit-header", "repeated-header"],
    { request: { headers: [["x-routing-key", `${pr42Key}, ${pr7Key}`]] } },
    toPr42,
  ),
  makeCase(
    "explicit header twice",
    ["explicit-header", "repeated-header"],
    {
      request: {
        headers: [
          ["x-routing-key", pr7Key],
          ["x-routing-key", pr42Key],
        ],
      },
    },
    toPr7,
  ),
  makeCase(
    "key that another table of the proxy has",
    ["explicit-header"],
    { request: { headers: [["x-routing-key", unknownKey]] }, otherKeys: [unknownKey] },
    noEntry,
  ),
  makeCase(
    "reserved word instead of a key",
    ["explicit-header"],
    { request: { headers: [["x-routing-key", "baseline"]] } },
    unknown,
  ),
  baggageCase("spaces and tabs", ` user=7 ,\trouting-key = ${pr42Key} , tenant=blue`, [], toPr42),
  baggageCase("properties", `routing-key=${pr42Key};ttl=30;internal`, [], toPr42),
  baggageCase("property named like the key", `user=7;routing-key=${pr42Key}`, [], noKey),
  baggageCase("name with a prefix", `x-routing-key=${pr42Key}`, [], noKey),
  baggageCase("name with a suffix", `routing-key2=${pr42Key}`, [], noKey),
  baggageCase("name in upper case", `ROUTING-KEY=${pr42Key}`, [], noKey),
  baggageCase("key that starts like a known one", `routing-key=${pr42Key}x`, [], unknown),
  baggageCase("empty members", `,, ,routing-key=${pr42Key},,`, [], toPr42),
  baggageCase("malformed members", `user,=7,routing-key=${pr42Key}`, [], toPr42),
  baggageCase("percent-encoded key", `routing-key=%6b${pr42Key.slice(1)}`, ["percent-encoding"], toPr42),
  baggageCase("first of two members", `routing-key=${pr42Key},routing-key=${pr7Key}`, ["baggage-rules"], toPr42),
  baggageCase("members beyond the limit", `${"a=1,".repeat(180)}routing-key=${pr42Key}`, ["baggage-rules"], noKey, [
    "baggage_truncated",
  ]),
  makeCase(
    "baggage in two headers",
    ["baggage", "repeated-header"],
    {
      request: {
        headers: [
          ["baggage", "user=7"],
          ["baggage", `routing-key=${pr42Key}`],
        ],
      },
    },
    toPr42,
  ),
];

function baggageCase(
  name: string,
  baggage: string,
  features: readonly Feature[],
  expected: ExpectedOutcome,
  counted?: EquivalenceCase["counted"],
): EquivalenceCase {
  const parts = {
    request: { headers: [["baggage", baggage] as const] },
    ...(counted === undefined ? {} : { counted }),
  };
  return makeCase(`baggage: ${name}`, ["baggage", ...features], parts, expected);
}

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const withoutTracestate: RoutingSettings = {
  ...defaultRoutingSettings,
  tracestate: { read: false, requireTraceparent: false },
};
const requireTraceparent: RoutingSettings = {
  ...defaultRoutingSettings,
  tracestate: { read: true, requireTraceparent: true },
};
const state = ["tracestate", `routing-key=${pr42Key}`] as const;

const tracestate: readonly EquivalenceCase[] = [
  makeCase(
    "tracestate with a valid traceparent",
    ["tracestate"],
    { request: { headers: [["traceparent", traceparent], state] } },
    toPr42,
  ),
  makeCase(
    "tracestate with a malformed traceparent",
    ["tracestate"],
    { request: { headers: [["traceparent", "00-0"], state] } },
    noKey,
  ),
  makeCase(
    "tracestate with two traceparents",
    ["tracestate", "repeated-header"],
    { request: { headers: [["traceparent", traceparent], ["traceparent", traceparent], state] } },
    noKey,
  ),
  makeCase(
    "tracestate where traceparent is required and missing",
    ["tracestate", "settings"],
    { settings: requireTraceparent, request: { headers: [state] } },
    noKey,
  ),
  makeCase(
    "tracestate where traceparent is required and present",
    ["tracestate", "settings"],
    { settings: requireTraceparent, request: { headers: [["traceparent", traceparent], state] } },
    toPr42,
  ),
  makeCase(
    "tracestate that is not read",
    ["tracestate", "settings"],
    { settings: withoutTracestate, request: { headers: [["traceparent", traceparent], state] } },
    noKey,
  ),
  makeCase(
    "tracestate beyond the limit of members",
    ["tracestate"],
    { request: { headers: [["tracestate", `${"a=1,".repeat(32)}routing-key=${pr42Key}`]] } },
    noKey,
  ),
];

const withHeaders: RoutingSettings = {
  ...defaultRoutingSettings,
  customHeaders: ["x-preview"],
  groupHeaders: [{ name: "x-checkout", routingKeys: [groupKey] }],
};

const configured: readonly EquivalenceCase[] = [
  makeCase(
    "custom header",
    ["custom-header", "settings"],
    { settings: withHeaders, request: { headers: [["x-preview", pr7Key]] } },
    toPr7,
  ),
  makeCase("custom header that is not configured", [], { request: { headers: [["x-preview", pr7Key]] } }, noKey),
  makeCase(
    "header of a RouteGroup with its key",
    ["group-header", "settings"],
    { settings: withHeaders, request: { headers: [["x-checkout", groupKey]] } },
    toPr42,
  ),
  makeCase(
    "header of a RouteGroup with the key of a sandbox",
    ["group-header", "settings"],
    { settings: withHeaders, request: { headers: [["x-checkout", pr7Key]] } },
    noKey,
  ),
  makeCase(
    "header of a RouteGroup with any other value",
    ["group-header", "settings"],
    { settings: withHeaders, request: { headers: [["x-checkout", "Blue Team"]] } },
    noKey,
  ),
  makeCase(
    "header of a RouteGroup with another value, and a key in baggage",
    ["group-header", "baggage", "settings"],
    {
      settings: withHeaders,
      request: {
        headers: [
          ["x-checkout", pr42Key],
          ["baggage", `routing-key=${pr7Key}`],
        ],
      },
    },
    toPr7,
  ),
  makeCase(
    "other names of members",
    ["baggage", "settings"],
    {
      settings: { ...defaultRoutingSettings, keyNames: ["team-key"] },
      request: { headers: [["baggage", `routing-key=${pr7Key},team-key=${pr42Key}`]] },
    },
    toPr42,
  ),
];

/** Cases about the place and the form of the key. */
export const keyCases: readonly EquivalenceCase[] = [...perForm, ...details, ...tracestate, ...configured];
