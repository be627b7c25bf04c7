import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type PodSecurityLevel, podSecurityLevels } from "@homeostat/core";
import { formatProblems } from "@homeostat/schema";
import type { PodSecuritySpec } from "../api/tenant.ts";
import { podSecurityProblems } from "./pod-security.ts";

const problems = (
  podSecurity: PodSecuritySpec | undefined,
  minimumPodSecurity: PodSecurityLevel = "baseline",
): string => formatProblems([...podSecurityProblems(podSecurity, { minimumPodSecurity })]);

describe("podSecurityProblems", () => {
  it("refuses every level below the minimum, and no other", () => {
    const refused = podSecurityLevels.flatMap((minimum) =>
      podSecurityLevels
        .filter((enforce) => problems({ enforce }, minimum) !== "")
        .map((each) => `${each} < ${minimum}`),
    );

    assert.deepEqual(refused, ["privileged < baseline", "privileged < restricted", "baseline < restricted"]);
  });

  it("names the field, the value, the minimum and what to do", () => {
    assert.equal(
      problems({ enforce: "privileged" }),
      'spec.podSecurity.enforce: Invalid value: "privileged": is weaker than baseline, the minimum of this operator; ' +
        "use baseline or restricted, or ask a cluster administrator to lower --minimum-pod-security",
    );
  });

  it("accepts the default level under every minimum", () => {
    for (const minimum of podSecurityLevels) {
      assert.equal(problems(undefined, minimum), "");
      assert.equal(problems({ audit: "privileged", warn: "privileged" }, minimum), "");
    }
  });

  it("refuses versions of the levels that have fewer checks, unless the minimum is privileged", () => {
    assert.match(
      problems({ version: "v1.24" }),
      /^spec\.podSecurity\.version: Invalid value: "v1\.24": .*at least v1\.25/,
    );
    assert.match(problems({ version: "v1.0" }, "restricted"), /fewer checks/);
    assert.equal(problems({ version: "v1.0" }, "privileged"), "");
    for (const version of ["v1.25", "v1.36", "latest"]) assert.equal(problems({ version }), "");
  });
});
