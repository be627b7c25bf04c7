import { defaultRoutingSettings } from "../settings/routing-settings.ts";
import type { CaseRequest, EquivalenceCase, ExpectedOutcome } from "./case.ts";
import {
  type CaseParts,
  makeCase,
  noKey,
  pr42Key,
  pr7Key,
  toPr42,
  toPr7,
  unknown,
  unknownKey,
} from "./sample-routes.ts";

const accepting = { ...defaultRoutingSettings, acceptExternalKeys: true };

function gatewayCase(
  name: string,
  request: Partial<CaseRequest>,
  expected: ExpectedOutcome,
  parts: CaseParts = {},
): EquivalenceCase {
  return makeCase(`gateway: ${name}`, ["gateway"], { role: "gateway", request, ...parts }, expected);
}

/** Cases about preview addresses. */
export const gatewayCases: readonly EquivalenceCase[] = [
  gatewayCase("key of the preview host", { assignedKey: pr42Key }, toPr42),
  gatewayCase("unknown key of the preview host", { assignedKey: unknownKey }, unknown),
  gatewayCase(
    "key of the preview host comes before a header",
    { assignedKey: pr42Key, headers: [["x-routing-key", pr7Key]] },
    toPr42,
    { counted: ["key_conflict"] },
  ),
  gatewayCase(
    "key of the preview host comes before a cookie",
    { assignedKey: pr42Key, headers: [["cookie", `sandbox-routing-key=${pr7Key}`]] },
    toPr42,
    { counted: ["key_conflict"] },
  ),
  gatewayCase("header from outside", { headers: [["x-routing-key", pr42Key]] }, noKey),
  gatewayCase("baggage from outside", { headers: [["baggage", `routing-key=${pr42Key}`]] }, noKey),
  gatewayCase("header from outside, accepted", { headers: [["x-routing-key", pr42Key]] }, toPr42, {
    settings: accepting,
  }),
  gatewayCase("cookie, accepted", { headers: [["cookie", `a=1; sandbox-routing-key=${pr42Key}; b=2`]] }, toPr42, {
    settings: accepting,
  }),
  gatewayCase("query parameter, accepted", { path: `/ws?x=1&routing-key=${pr42Key}` }, toPr42, { settings: accepting }),
  gatewayCase(
    "cookie before query parameter",
    { path: `/ws?routing-key=${pr7Key}`, headers: [["cookie", `sandbox-routing-key=${pr42Key}`]] },
    toPr42,
    { settings: accepting, counted: ["key_conflict"] },
  ),
  gatewayCase("query parameter from outside", { path: `/ws?routing-key=${pr42Key}` }, noKey),
  gatewayCase("default key", { defaultKey: pr42Key }, toPr42),
  gatewayCase("default key of the baseline", { defaultKey: "production" }, noKey),
  gatewayCase("empty default key", { defaultKey: "" }, noKey),
  gatewayCase(
    "default key with another one in a header, accepted",
    { defaultKey: pr42Key, headers: [["x-routing-key", pr7Key]] },
    toPr7,
    {
      settings: accepting,
    },
  ),
  makeCase(
    "inside of the cluster: a cookie is no source",
    [],
    { request: { headers: [["cookie", `sandbox-routing-key=${pr42Key}`]] } },
    noKey,
  ),
  makeCase(
    "inside of the cluster: a query parameter is no source",
    [],
    { request: { path: `/?routing-key=${pr42Key}` } },
    noKey,
  ),
];
