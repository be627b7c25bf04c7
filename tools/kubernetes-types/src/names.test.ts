import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { aliasOf, locationOf, schemaNameOf } from "./names.ts";

describe("locationOf", () => {
  it("reads group, version and type from the end of a definition's name", () => {
    assert.deepEqual(locationOf("io.k8s.api.batch.v1.Job"), { module: "batch/v1", name: "Job" });
    assert.deepEqual(locationOf("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService"), {
      module: "apiregistration/v1",
      name: "APIService",
    });
  });

  it("puts types without a version into meta/v1", () => {
    assert.deepEqual(locationOf("io.k8s.apimachinery.pkg.util.intstr.IntOrString"), {
      module: "meta/v1",
      name: "IntOrString",
    });
  });

  it("rejects an unknown form of name", () => {
    assert.throws(() => locationOf("io.k8s.apimachinery.pkg.runtime.Unknown"), /group, version and type/);
  });
});

describe("aliasOf and schemaNameOf", () => {
  it("return readable identifiers", () => {
    assert.equal(aliasOf("core/v1"), "coreV1");
    assert.equal(aliasOf("resource/v1beta2"), "resourceV1beta2");
    assert.deepEqual(
      ["PodSpec", "HTTPGetAction", "SELinuxOptions", "NFSVolumeSource", "IPBlock", "JSON"].map(schemaNameOf),
      ["podSpec", "httpGetAction", "seLinuxOptions", "nfsVolumeSource", "ipBlock", "json"],
    );
  });
});
