import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TableHost } from "../api/route-table.ts";
import { fitHosts, type HostClaim, oldestClaim } from "./preview-hosts.ts";

function claimOf(name: string, createdAt: string, fields: Partial<TableHost> = {}): HostClaim {
  const uid = `uid-${name}`;
  const owner = { kind: "Sandbox" as const, namespace: "shop", name, uid };
  const host = {
    host: `${name}.preview.test`,
    target: "http://web.shop.svc",
    auth: "Token" as const,
    path: "/",
    owner,
  };
  return { owner: { uid, createdAt }, host: { ...host, ...fields } };
}

const names = (claims: readonly HostClaim[], limits?: { bytesMax?: number; countMax?: number }): unknown => {
  const { hosts, omitted } = fitHosts(claims, limits);
  return [hosts.map(({ host }) => host.split(".")[0]), omitted];
};

describe("fitHosts", () => {
  it("sorts hosts by name, whatever the order of the claims", () => {
    const claims = [claimOf("b", "2020"), claimOf("a", "2021"), claimOf("c", "2019")];

    assert.deepEqual(names(claims), [["a", "b", "c"], 0]);
    assert.deepEqual(fitHosts(claims), fitHosts(claims.toReversed()));
  });

  it("leaves out the hosts of the youngest objects above the limits", () => {
    const claims = [claimOf("b", "2020"), claimOf("a", "2021"), claimOf("c", "2019")];
    const bytes = JSON.stringify(claims[0]?.host).length + 1;

    assert.deepEqual(names(claims, { countMax: 2 }), [["b", "c"], 1]);
    assert.deepEqual(names(claims, { bytesMax: 2 * bytes }), [["b", "c"], 1]);
    assert.deepEqual(names(claims, { bytesMax: bytes - 1 }), [[], 3]);
  });

  it("keeps one entry of a host that two objects ask for, that of the older one", () => {
    const rival = claimOf("b", "2019", { host: "a.preview.test" });
    const { hosts } = fitHosts([claimOf("a", "2020"), rival]);

    assert.deepEqual(
      hosts.map(({ host, owner }) => [host, owner.name]),
      [["a.preview.test", "b"]],
    );
  });
});

describe("oldestClaim", () => {
  it("compares creation times, then UIDs", () => {
    assert.equal(oldestClaim([claimOf("b", "2020"), claimOf("a", "2021")])?.owner.uid, "uid-b");
    assert.equal(oldestClaim([claimOf("b", "2020"), claimOf("a", "2020")])?.owner.uid, "uid-a");
    assert.equal(oldestClaim([]), undefined);
  });
});
