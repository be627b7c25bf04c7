import { quote } from "@homeostat/cel";
import { dnsSubdomainProblems } from "@homeostat/core";
import { checkClaimSpec } from "./claim-spec.ts";
import { checkFieldRef, checkLocalPath, checkResourceFieldRef } from "./containers.ts";
import type { Field } from "../../validation/field.ts";

const modeDetail = "must be a number between 0 and 0777 (octal), both inclusive";

/** Checks the volumes of a pod, and returns the names of the valid ones. */
export function checkVolumes(volumes: Field, podName: string): Set<string> {
  const names = new Set<string>();
  for (const volume of volumes.items()) {
    const before = volume.problems.length;
    checkVolume(volume);
    const name = volume.at("name");
    if (volume.at("ephemeral").isSet && podName !== "" && name.text !== "") {
      const claim = `${podName}-${name.text}`;
      for (const detail of dnsSubdomainProblems(claim)) name.invalid(`PVC name ${quote(claim)}: ${detail}`);
    }
    if (name.text === "") name.required();
    else name.dnsLabel();
    if (names.has(name.text)) name.duplicate(name.text);
    if (volume.problems.length === before) names.add(name.text);
  }
  return names;
}

type Check = (source: Field) => void;

/** Volume types in the order in which kube-apiserver checks them. Those with an empty check are not validated here. */
const types: readonly (readonly [string, Check])[] = [
  ["emptyDir", () => undefined],
  ["hostPath", hostPath],
  ["gitRepo", (source) => requireField(source, "repository")],
  ["gcePersistentDisk", () => undefined],
  ["awsElasticBlockStore", () => undefined],
  ["secret", secret],
  ["nfs", nfs],
  ["iscsi", () => undefined],
  ["glusterfs", () => undefined],
  ["flocker", () => undefined],
  ["persistentVolumeClaim", (source) => requireField(source, "claimName")],
  ["rbd", () => undefined],
  ["cinder", () => undefined],
  ["cephfs", () => undefined],
  ["quobyte", () => undefined],
  ["downwardAPI", downwardApi],
  ["fc", () => undefined],
  ["flexVolume", () => undefined],
  ["configMap", configMap],
  ["azureFile", () => undefined],
  ["vsphereVolume", () => undefined],
  ["photonPersistentDisk", () => undefined],
  ["portworxVolume", () => undefined],
  ["azureDisk", () => undefined],
  ["storageos", () => undefined],
  ["projected", projected],
  ["scaleIO", () => undefined],
  ["csi", csi],
  ["ephemeral", ephemeral],
  ["image", (source) => requireField(source, "reference")],
];

function checkVolume(volume: Field): void {
  let count = 0;
  for (const [name, check] of types) {
    const source = volume.at(name);
    if (!source.isSet) continue;
    count += 1;
    if (count > 1) source.forbidden("may not specify more than 1 volume type");
    else check(source);
  }
  if (count === 0) volume.required("must specify a volume type");
}

function requireField(source: Field, name: string): void {
  if (source.at(name).text === "") source.at(name).required();
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

function hostPath(source: Field): void {
  const path = source.at("path");
  if (path.text === "") {
    path.required();
    return;
  }
  if (path.text.split("/").includes("..")) path.invalid("must not contain '..'");
  if (source.at("type").isSet) source.at("type").oneOf(hostPathTypes);
}

function nfs(source: Field): void {
  requireField(source, "server");
  requireField(source, "path");
  if (!source.at("path").text.startsWith("/"))
    source.at("path").invalid("must be an absolute path", source.at("path").text);
}

function csi(source: Field): void {
  const driver = source.at("driver");
  if (driver.text === "") driver.required();
  if (driver.text.length > 63) driver.tooLong(63);
  if (driver.text !== "") driver.with(driver.text.toLowerCase()).dnsSubdomain();
}

function mode(source: Field): void {
  if (source.isSet && (source.number > 0o777 || source.number < 0)) source.invalid(modeDetail);
}

function secret(source: Field): void {
  requireField(source, "secretName");
  mode(source.at("defaultMode"));
  for (const item of source.at("items").items()) keyToPath(item);
}

function configMap(source: Field): void {
  requireField(source, "name");
  mode(source.at("defaultMode"));
  for (const item of source.at("items").items()) keyToPath(item);
}

function keyToPath(item: Field): void {
  requireField(item, "key");
  requireField(item, "path");
  filePath(item.at("path"));
  mode(item.at("mode"));
}

function filePath(path: Field): void {
  checkLocalPath(path);
  if (path.text.startsWith("..") && !path.text.startsWith("../") && path.text !== "..") {
    path.invalid("must not start with '..'");
  }
}

function downwardApi(source: Field): void {
  mode(source.at("defaultMode"));
  for (const item of source.at("items").items()) downwardFile(item, source.path);
}

function downwardFile(file: Field, path: string): void {
  // kube-apiserver reports the path of the volume and not that of the file.
  const at = (name: string): Field => file.at(name).as(`${path}.${name}`);
  if (at("path").text === "") at("path").required();
  filePath(at("path"));
  if (at("fieldRef").isSet) {
    checkFieldRef(at("fieldRef"));
    if (at("resourceFieldRef").isSet) {
      file.as(path).invalid("fieldRef and resourceFieldRef can not be specified simultaneously", "resource");
    }
  } else if (at("resourceFieldRef").isSet) checkResourceFieldRef(at("resourceFieldRef"), true);
  else file.as(path).required("one of fieldRef and resourceFieldRef is required");
  mode(at("mode"));
}

function projected(source: Field): void {
  mode(source.at("defaultMode"));
  const paths = new Set<string>();
  const taken = (path: string, word: string): void => {
    if (path === "") return;
    if (paths.has(path)) source.invalid("conflicting duplicate paths", word);
    paths.add(path);
  };
  for (const entry of source.at("sources").items()) {
    const set = ["secret", "configMap", "downwardAPI", "serviceAccountToken"].filter((name) => entry.at(name).isSet);
    for (const name of ["secret", "configMap"]) {
      const each = entry.at(name);
      if (!each.isSet) continue;
      requireField(each, "name");
      for (const item of each.at("items").items()) {
        keyToPath(item);
        taken(item.at("path").text, each.at("name").text);
      }
    }
    for (const file of entry.at("downwardAPI").at("items").items()) {
      downwardFile(file, entry.at("downwardAPI").path);
      taken(file.at("path").text, file.at("path").text);
    }
    const token = entry.at("serviceAccountToken");
    if (token.isSet) {
      const seconds = token.at("expirationSeconds");
      if (seconds.number < 600) seconds.invalid("may not specify a duration less than 10 minutes", seconds.number);
      const path = token.at("path").as(`${source.path}.path`);
      if (path.text === "") path.required();
      else filePath(path);
    }
    if (set.length > 1) entry.forbidden("may not specify more than 1 volume type per source");
  }
}

function ephemeral(source: Field): void {
  const template = source.at("volumeClaimTemplate");
  if (!template.isSet) {
    template.required();
    return;
  }
  template.at("metadata").at("labels").labels();
  checkClaimSpec(template.at("spec"));
}
