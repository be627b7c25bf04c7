import { defaultRoutingSettings } from "../settings/routing-settings.ts";
import type { EquivalenceCase, Feature } from "./case.ts";
import { groupKey, makeCase, pr42Key, pr7Key, toPr42, toPr7, unknown, unknownKey } from "./sample-routes.ts";

const settings = {
  ...defaultRoutingSettings,
  customHeaders: ["x-preview"],
  groupHeaders: [{ name: "x-checkout", routingKeys: [groupKey] }],
};

/** Places in the order in which they are read, but for the header of RouteGroups. */
const places: readonly { readonly name: string; readonly feature: Feature; readonly form: (key: string) => string }[] =
  [
    { name: "x-routing-key", feature: "explicit-header", form: (key) => key },
    { name: "x-route-key", feature: "explicit-header", form: (key) => key },
    { name: "baggage", feature: "baggage", form: (key) => `routing-key=${key}` },
    { name: "ot-baggage-sd-routing-key", feature: "compat-header", form: (key) => key },
    { name: "uberctx-sd-routing-key", feature: "compat-header", form: (key) => key },
    { name: "ot-baggage-routing-key", feature: "compat-header", form: (key) => key },
    { name: "uberctx-routing-key", feature: "compat-header", form: (key) => key },
    { name: "tracestate", feature: "tracestate", form: (key) => `routing-key=${key}` },
    { name: "x-preview", feature: "custom-header", form: (key) => key },
  ];

/** Each place before the next one, whatever the order of the headers in the request is. */
const neighbours: readonly EquivalenceCase[] = places.slice(1).flatMap((second, index) => {
  const first = places[index];
  if (first === undefined) return [];
  const features = [first.feature, second.feature, "several-keys", "settings"] as const;
  const fields = [
    [second.name, second.form(pr7Key)],
    [first.name, first.form(pr42Key)],
  ] as const;
  return [
    makeCase(
      `${first.name} comes before ${second.name}`,
      features,
      { settings, request: { headers: fields }, counted: ["key_conflict"] },
      toPr42,
    ),
  ];
});

/** Cases with several keys in one request. */
export const conflictCases: readonly EquivalenceCase[] = [
  ...neighbours,
  makeCase(
    "an explicit header comes before the header of a RouteGroup",
    ["explicit-header", "group-header", "several-keys", "settings"],
    {
      settings,
      request: {
        headers: [
          ["x-checkout", groupKey],
          ["x-route-key", pr7Key],
        ],
      },
      counted: ["key_conflict"],
    },
    toPr7,
  ),
  makeCase(
    "the header of a RouteGroup comes before baggage",
    ["group-header", "baggage", "several-keys", "settings"],
    {
      settings,
      request: {
        headers: [
          ["baggage", `routing-key=${pr7Key}`],
          ["x-checkout", groupKey],
        ],
      },
      counted: ["key_conflict"],
    },
    toPr42,
  ),
  makeCase(
    "the first name of members comes first, not the first member",
    ["baggage", "several-keys"],
    {
      request: { headers: [["baggage", `sd-routing-key=${pr7Key},routing-key=${pr42Key}`]] },
      counted: ["key_conflict"],
    },
    toPr42,
  ),
  makeCase(
    "the same key in two places is no conflict",
    ["explicit-header", "baggage"],
    {
      request: {
        headers: [
          ["x-routing-key", pr42Key],
          ["baggage", `routing-key=${pr42Key}`],
        ],
      },
    },
    toPr42,
  ),
  makeCase(
    "three places with three keys are one conflict",
    ["explicit-header", "baggage", "tracestate", "several-keys"],
    {
      request: {
        headers: [
          ["x-routing-key", pr42Key],
          ["baggage", `routing-key=${pr7Key}`],
          ["tracestate", `routing-key=${groupKey}`],
        ],
      },
      counted: ["key_conflict"],
    },
    toPr42,
  ),
  makeCase(
    "an unknown key in the first place decides",
    ["explicit-header", "baggage", "several-keys"],
    {
      request: {
        headers: [
          ["x-routing-key", unknownKey],
          ["baggage", `routing-key=${pr42Key}`],
        ],
      },
      counted: ["key_conflict", "unknown_key"],
    },
    unknown,
  ),
  makeCase(
    "an invalid value in the first place is passed over",
    ["explicit-header", "baggage", "invalid-key"],
    {
      request: {
        headers: [
          ["x-routing-key", "Not A Key"],
          ["baggage", `routing-key=${pr42Key}`],
        ],
      },
      counted: ["invalid_key"],
    },
    toPr42,
  ),
  makeCase(
    "an empty value in the first place is passed over",
    ["explicit-header", "baggage"],
    {
      request: {
        headers: [
          ["x-routing-key", ""],
          ["baggage", `routing-key=${pr42Key}`],
        ],
      },
    },
    toPr42,
  ),
  makeCase(
    "a value that is too long is passed over",
    ["explicit-header", "compat-header", "invalid-key"],
    {
      request: {
        headers: [
          ["x-route-key", "a".repeat(200)],
          ["uberctx-routing-key", pr42Key],
        ],
      },
      counted: ["invalid_key"],
    },
    toPr42,
  ),
  makeCase(
    "an invalid value in a later place changes nothing",
    ["explicit-header", "baggage"],
    {
      request: {
        headers: [
          ["x-routing-key", pr42Key],
          ["baggage", "routing-key=A_B"],
        ],
      },
      counted: ["invalid_key"],
    },
    toPr42,
  ),
];
