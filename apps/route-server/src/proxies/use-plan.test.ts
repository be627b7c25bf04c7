import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { usedTokensMax } from "@homeostat/sandbox-operator";
import { planUses, useEntriesMax, type UsesInput, type UseSum } from "./use-plan.ts";

const owner = { kind: "Sandbox", namespace: "shop", name: "pr-1", uid: "u1" } as const;
const host = { host: "a.preview.test", target: "http://web.shop.svc", auth: "Token", path: "/", owner } as const;

function plan(
  tokens: readonly string[],
  tokenUses: Readonly<Record<string, Readonly<Record<string, UseSum>>>>,
  change: Partial<UsesInput> = {},
): ReturnType<typeof planUses> {
  const spec = { service: "web", ports: [], entries: [], version: "v1", hosts: [{ ...host, tokens }] };
  return planUses({
    table: { spec: { ...spec, interception: "None" }, status: { tokenUses } },
    ids: ["t1"],
    sums: new Map([["t1", use(3)]]),
    replica: "new",
    replicas: new Set(["new"]),
    ...change,
  });
}

const use = (count: number, day = 1): UseSum => ({ count, lastUsedAt: `2026-01-0${day}T00:00:00Z` });

describe("planUses", () => {
  it("writes the entry of this replica, and only for tokens that a host accepts", () => {
    assert.deepEqual(plan(["t1"], { t1: { other: use(1) } }), { t1: { new: use(3) } });
    assert.deepEqual(plan(["t2"], {}), {});
    assert.deepEqual(plan(["t1"], {}, { ids: [] }), {});
  });

  it("removes tokens that were revoked", () => {
    assert.deepEqual(plan(["t1"], { old: { other: use(1) } }), { t1: { new: use(3) }, old: null });
  });

  it("removes the oldest entries of replicas that are gone, above a limit", () => {
    const entries = Object.fromEntries(
      Array.from({ length: useEntriesMax + 1 }, (_, index) => [`gone-${index}`, use(1, 9 - index)]),
    );

    assert.deepEqual(plan(["t1"], { t1: entries }), { t1: { new: use(3), [`gone-${useEntriesMax}`]: null } });
    assert.deepEqual(plan(["t1"], { t1: entries }, { replicas: undefined }), { t1: { new: use(3) } });
    const live = new Set(["new", `gone-${useEntriesMax}`]);
    assert.deepEqual(plan(["t1"], { t1: entries }, { replicas: live }), {
      t1: { new: use(3), [`gone-${useEntriesMax - 1}`]: null },
    });
  });

  it("adds no token above the limit of the table, which would make the API server refuse the whole patch", () => {
    const recorded = Object.fromEntries(
      Array.from({ length: usedTokensMax }, (_, index) => [`other-${index}`, { new: use(1) }]),
    );

    assert.deepEqual(plan(["t1", ...Object.keys(recorded)], recorded), {});
    const known = { ...recorded, t1: { new: use(1) } };
    assert.deepEqual(plan(Object.keys(known), known), { t1: { new: use(3) } });
  });
});
