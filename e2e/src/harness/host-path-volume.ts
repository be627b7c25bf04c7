import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PersistentVolume } from "@homeostat/kubernetes/core/v1";

/** Returns a hostPath volume of 1 GiB in a new folder that any user can write to: no provisioner runs in the clusters of suites. */
export function hostPathVolume(folder: string, index: number): PersistentVolume {
  const path = join(folder, `volume-${index}`);
  mkdirSync(path);
  chmodSync(path, 0o777);
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: `volume-${index}` },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path } },
  };
}
