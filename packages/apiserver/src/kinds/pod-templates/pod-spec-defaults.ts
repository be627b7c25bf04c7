// Defaults of the types that pods and pod templates consist of.

import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { isSet, textAt } from "../../values/fields.ts";
import { createParts, type DefaultValues, type TypeDefaults } from "../defaulting/defaults.ts";
import { fill } from "../defaulting/fill.ts";

const fileMode = 0o644;

const terminationMessage: DefaultValues = {
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
};

const alwaysPull = /(?::latest|^[^:]*|\/[^:]*)$/;

/** Returns the default pull policy: `Always` for the tag `latest` or no tag, otherwise `IfNotPresent`. */
function pullPolicy(image: string): string {
  if (image.includes("@")) return "IfNotPresent";
  return alwaysPull.test(image) ? "Always" : "IfNotPresent";
}

function defaultContainer(value: JsonRecord): void {
  fill(value, { imagePullPolicy: pullPolicy(textAt(value, "image")) });
}

function defaultServiceAccount(value: JsonRecord): void {
  // `serviceAccount` is the deprecated alias of `serviceAccountName`.
  const account = textAt(value, "serviceAccountName") || textAt(value, "serviceAccount");
  if (account !== "") Object.assign(value, { serviceAccountName: account, serviceAccount: account });
}

function defaultVolume(value: JsonRecord): void {
  const sources = Object.keys(value).filter((key) => key !== "name" && isSet(value, key));
  if (sources.length === 0) safeSet(value, "emptyDir", {});
  const image = value["image"];
  if (isRecord(image)) fill(image, { pullPolicy: pullPolicy(textAt(image, "reference")) });
}

/** Defaults of pod specs and their parts, in pods and in the templates of other kinds. */
export const podSpecDefaults: TypeDefaults = {
  "core.v1.Container": { values: terminationMessage, rule: defaultContainer },
  "core.v1.EphemeralContainer": { values: terminationMessage, rule: defaultContainer },
  "core.v1.PodSpec": {
    values: {
      dnsPolicy: "ClusterFirst",
      restartPolicy: "Always",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      schedulerName: "default-scheduler",
    },
    rule: defaultServiceAccount,
  },
  "core.v1.PodTemplateSpec": { rule: createParts("spec") },
  "core.v1.ContainerPort": { values: { protocol: "TCP" } },
  "core.v1.HTTPGetAction": { values: { path: "/", scheme: "HTTP" } },
  "core.v1.GRPCAction": { values: { service: "" } },
  "core.v1.Probe": {
    zeroValues: { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  },
  "core.v1.ObjectFieldSelector": { values: { apiVersion: "v1" } },
  "core.v1.Volume": { rule: defaultVolume },
  "core.v1.SecretVolumeSource": { values: { defaultMode: fileMode } },
  "core.v1.ConfigMapVolumeSource": { values: { defaultMode: fileMode } },
  "core.v1.DownwardAPIVolumeSource": { values: { defaultMode: fileMode } },
  "core.v1.ProjectedVolumeSource": { values: { defaultMode: fileMode } },
  "core.v1.ServiceAccountTokenProjection": { values: { expirationSeconds: 3600 } },
  "core.v1.HostPathVolumeSource": { values: { type: "" } },
  "core.v1.ISCSIVolumeSource": { values: { iscsiInterface: "default" } },
  "core.v1.RBDVolumeSource": { values: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" } },
  "core.v1.ScaleIOVolumeSource": { values: { storageMode: "ThinProvisioned", fsType: "xfs" } },
  "core.v1.AzureDiskVolumeSource": {
    values: { cachingMode: "ReadWrite", kind: "Shared", fsType: "ext4", readOnly: false },
  },
};
