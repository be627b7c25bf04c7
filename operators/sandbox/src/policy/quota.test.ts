import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseQuantity } from "@homeostat/core";
import { countExcess, describeExcess, excessOf, forkAmount, forkUsage, sumUsage, type Usage } from "./quota.ts";

const defaults = { cpu: parseQuantity("500m"), memory: parseQuantity("512Mi") };
const usage = (cpu: string, memory: string, pods: number): Usage => ({
  cpu: parseQuantity(cpu),
  memory: parseQuantity(memory),
  pods,
});
const shown = ({ cpu, memory, pods }: Usage): string => [cpu, memory, pods].join(" ");

describe("forkAmount", () => {
  const rows: readonly (readonly [
    title: string,
    limit: string | undefined,
    request: string | undefined,
    result: string,
  ])[] = [
    ["keeps limit and request", "2", "1", "2 1"],
    ["takes the request as the limit", undefined, "250m", "250m 250m"],
    ["takes the default without both", undefined, undefined, "500m undefined"],
    ["lowers a request above the limit", "1", "2", "1 1"],
    ["ignores values that are no quantities", "many", undefined, "500m undefined"],
  ];
  for (const [title, limit, request, result] of rows) {
    it(title, () => {
      const resources = {
        ...(limit !== undefined && { limits: { cpu: limit } }),
        ...(request !== undefined && { requests: { cpu: request } }),
      };

      const amount = forkAmount("cpu", resources, defaults);

      assert.equal(`${amount.limit} ${amount.request}`, result);
    });
  }
});

describe("forkUsage", () => {
  it("adds the limits of all containers, times the replicas", () => {
    const containers = [{ limits: { cpu: "1", memory: "1Gi" } }, { requests: { cpu: "250m" } }];

    assert.equal(shown(forkUsage(containers, { replicas: 3, defaults })), "3750m 4608Mi 3");
    assert.equal(shown(forkUsage(containers, { replicas: 0, defaults })), "0 0 0");
    assert.equal(shown(sumUsage([usage("1", "1Gi", 1), usage("500m", "512Mi", 2)])), "1500m 1536Mi 3");
    assert.equal(shown(sumUsage([])), "0 0 0");
  });
});

describe("excessOf", () => {
  it("names every resource above its limit", () => {
    const found = excessOf(usage("3", "1Gi", 21), usage("2", "1024Mi", 20));

    assert.deepEqual(found.map(describeExcess), ["cpu 3 of 2", "pods 21 of 20"]);
    assert.deepEqual(excessOf(usage("2", "1Gi", 20), usage("2", "1Gi", 20)), []);
  });
});

describe("countExcess", () => {
  const made = (uid: string, createdAt: string, createdBy = "jane") => ({ uid, createdAt, createdBy });
  const first = made("b", "2026-01-01T00:00:00Z");
  const second = made("a", "2026-01-01T00:00:01Z");
  const twin = made("c", "2026-01-01T00:00:01Z");
  const other = made("d", "2026-01-01T00:00:02Z", "john");
  const all = [other, twin, second, first];

  it("lets the earlier sandboxes stay, then those with the lower UID", () => {
    const quota = { sandboxes: 2, perUser: 10 };

    assert.deepEqual(
      all.map((each) => [each.uid, countExcess(each, all, quota)]),
      [
        ["d", ["sandboxes"]],
        ["c", ["sandboxes"]],
        ["a", []],
        ["b", []],
      ],
    );
  });

  it("counts the sandboxes of each user", () => {
    const quota = { sandboxes: 10, perUser: 1 };

    assert.deepEqual(
      all.filter((each) => countExcess(each, all, quota).includes("perUser")).map(({ uid }) => uid),
      ["c", "a"],
    );
  });
});
