import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Disks } from "./disks.ts";
import { configOf, container, podOf } from "../testing/machine-bench.ts";
import { mountedFiles } from "./mounted-files.ts";
import { mountedVolumes } from "./mounted-volumes.ts";

describe("mountedVolumes", () => {
  const spec = container("main", {
    volumeMounts: [
      { name: "data", mountPath: "/data" },
      { name: "cache", mountPath: "/cache" },
      { name: "own", mountPath: "/own" },
      { name: "unbound", mountPath: "/unbound" },
    ],
  });
  const pod = podOf({
    containers: [spec],
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "data-web-0" } },
      { name: "cache", emptyDir: {} },
      { name: "own", ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: "unbound", persistentVolumeClaim: { claimName: "none" } },
    ],
  });
  const volumes: Record<string, string> = { "default/data-web-0": "pv-1", "default/web-own": "pv-2" };
  const config = {
    ...configOf({}),
    volumeOfClaim: (namespace: string, name: string) => volumes[`${namespace}/${name}`],
  };

  it("returns the same files for every pod that mounts a volume", () => {
    const disks = new Disks();
    mountedVolumes(pod, spec, { config, disks, scratch: new Map() }).get("/data")?.set("log", "1");

    const later = mountedVolumes(pod, spec, { config, disks, scratch: new Map() });

    assert.deepEqual([...later.keys()], ["/data", "/cache", "/own"]);
    assert.equal(later.get("/data")?.get("log"), "1");
    assert.equal(later.get("/own")?.size, 0);
  });

  it("returns an empty volume after the claim was replaced", () => {
    const disks = new Disks();
    mountedVolumes(pod, spec, { config, disks, scratch: new Map() }).get("/data")?.set("log", "1");
    const replaced = { ...config, volumeOfClaim: () => "pv-3" };

    assert.equal(mountedVolumes(pod, spec, { config: replaced, disks, scratch: new Map() }).get("/data")?.size, 0);
  });

  it("keeps emptyDir volumes for the life of the pod", () => {
    const sources = { config, disks: new Disks(), scratch: new Map() };
    mountedVolumes(pod, spec, sources).get("/cache")?.set("a", "1");

    assert.equal(mountedVolumes(pod, spec, sources).get("/cache")?.get("a"), "1");
    assert.equal(mountedVolumes(pod, spec, { ...sources, scratch: new Map() }).get("/cache")?.size, 0);
  });
});

describe("mountedFiles", () => {
  it("joins the sources of a projected volume", () => {
    const spec = container("main", { volumeMounts: [{ name: "config", mountPath: "/etc/app" }] });
    const sources = [
      { configMap: { name: "shared" } },
      { configMap: { name: "own", items: [{ key: "a", path: "sub/a.toml" }] } },
      { secret: { name: "keys" } },
    ];
    const pod = podOf({ containers: [spec], volumes: [{ name: "config", projected: { sources } }] });
    const config = configOf(
      { "default/shared": { "log.level": "info" }, "default/own": { a: "1", b: "2" } },
      { "default/keys": { key: "secret" } },
    );

    assert.deepEqual(
      [...mountedFiles(pod, spec, config)],
      [
        ["/etc/app/log.level", "info"],
        ["/etc/app/sub/a.toml", "1"],
        ["/etc/app/key", "secret"],
      ],
    );
  });
});
