import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  isBaselineAppArmorAnnotation,
  isBaselineCapability,
  isBaselineProfileType,
  isBaselineSELinuxType,
  isBaselineSysctl,
} from "./baseline.ts";
import { comparePodSecurityLevels, parsePodSecurityVersion, podSecurityLevels } from "./levels.ts";

describe("comparePodSecurityLevels", () => {
  it("orders the levels from privileged to restricted", () => {
    assert.deepEqual([...podSecurityLevels].sort(comparePodSecurityLevels), ["privileged", "baseline", "restricted"]);
    assert.ok(comparePodSecurityLevels("restricted", "baseline") > 0);
    assert.equal(comparePodSecurityLevels("baseline", "baseline"), 0);
  });
});

describe("parsePodSecurityVersion", () => {
  for (const [text, expected] of [
    ["latest", "latest"],
    ["v1.0", 0],
    ["v1.36", 36],
    ["v1.999999999", 999_999_999],
    ["v1.1000000000", undefined],
    ["v1.01", undefined],
    ["v2.1", undefined],
    ["1.30", undefined],
    ["v1.30 ", undefined],
    ["Latest", undefined],
    ["", undefined],
  ] as const) {
    it(`returns ${expected} for ${JSON.stringify(text)}`, () => {
      assert.equal(parsePodSecurityVersion(text), expected);
    });
  }
});

describe("the baseline level", () => {
  it("allows the capabilities that container runtimes grant by default", () => {
    assert.ok(isBaselineCapability("NET_BIND_SERVICE"));
    for (const name of ["SYS_ADMIN", "NET_RAW", "ALL", "chown", ""]) assert.ok(!isBaselineCapability(name), name);
  });

  it("allows an SELinux type from the release that added it on", () => {
    assert.ok(isBaselineSELinuxType(""));
    assert.ok(isBaselineSELinuxType("container_t", 0));
    assert.ok(!isBaselineSELinuxType("container_engine_t", 30));
    assert.ok(isBaselineSELinuxType("container_engine_t", 31));
    assert.ok(isBaselineSELinuxType("container_engine_t"));
    assert.ok(!isBaselineSELinuxType("spc_t"));
  });

  it("allows a kernel parameter from the release that added it on", () => {
    for (const [name, since] of [
      ["net.ipv4.ip_local_reserved_ports", 27],
      ["net.ipv4.tcp_fin_timeout", 29],
      ["net.ipv4.tcp_rmem", 32],
    ] as const) {
      assert.ok(!isBaselineSysctl(name, since - 1), name);
      assert.ok(isBaselineSysctl(name, since), name);
    }
    assert.ok(isBaselineSysctl("kernel.shm_rmid_forced", 0));
    assert.ok(!isBaselineSysctl("kernel.msgmax"));
  });

  it("forbids unconfined profiles", () => {
    assert.deepEqual(["RuntimeDefault", "Localhost", "Unconfined", ""].filter(isBaselineProfileType), [
      "RuntimeDefault",
      "Localhost",
    ]);
    assert.deepEqual(["", "runtime/default", "localhost/a", "unconfined"].filter(isBaselineAppArmorAnnotation), [
      "",
      "runtime/default",
      "localhost/a",
    ]);
  });
});
