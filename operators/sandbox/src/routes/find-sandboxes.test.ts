import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { aRoute, aSandbox } from "../testing/route-views.ts";
import { type ChangedGroup, findSandboxesForRouteGroup } from "./find-sandboxes.ts";

function aChangedGroup(team: string | undefined, fields: Partial<ChangedGroup> = {}): ChangedGroup {
  const match = team === undefined ? undefined : { label: { key: "team", value: team } };
  return { namespace: "shop", match, routes: [], matchedSandboxes: undefined, ...fields };
}

const sandboxes = [
  aSandbox("web-1", { specLabels: { team: "web" } }),
  aSandbox("web-2", { metadataLabels: { team: "web" } }),
  aSandbox("pay-1", { metadataLabels: { team: "web" }, specLabels: { team: "pay" } }),
  aSandbox("pay-gone", { specLabels: { team: "pay" }, isDeleting: true }),
  aSandbox("pay-asleep", { specLabels: { team: "pay" }, isSuspended: true }),
  aSandbox("other"),
];

describe("findSandboxesForRouteGroup", () => {
  const cases: readonly [
    name: string,
    before: ChangedGroup | undefined,
    after: ChangedGroup | undefined,
    found: string[],
  ][] = [
    ["a new group", undefined, aChangedGroup("web"), ["web-1", "web-2"]],
    ["a changed match", aChangedGroup("web"), aChangedGroup("pay"), ["pay-1", "web-1", "web-2"]],
    ["a match that is removed", aChangedGroup("web"), aChangedGroup(undefined), ["web-1", "web-2"]],
    [
      "explicit routes before and after",
      aChangedGroup(undefined, { routes: [aRoute("other")] }),
      aChangedGroup(undefined, { routes: [aRoute("not-yet-created")] }),
      ["not-yet-created", "other"],
    ],
    [
      "a match and a route for the same sandbox",
      undefined,
      aChangedGroup("web", { routes: [aRoute("web-1")] }),
      ["web-1", "web-2"],
    ],
    [
      "a deleted group, by its status",
      aChangedGroup("web", { matchedSandboxes: ["web-1", "pay-gone"], routes: [aRoute("other")] }),
      undefined,
      ["other", "pay-gone", "web-1"],
    ],
    ["a deleted group without a status", aChangedGroup("web"), undefined, ["web-1", "web-2"]],
    ["no group", undefined, undefined, []],
  ];
  for (const [name, before, after, found] of cases) {
    it(`returns the sandboxes of ${name}`, () => {
      assert.deepEqual(findSandboxesForRouteGroup({ before, after }, sandboxes), found);
    });
  }
});
