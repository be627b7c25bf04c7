import { configBytesMax, configKeyProblems } from "../../pod-templates/config-data.ts";
import type { Field } from "../../../validation/field.ts";
import { checkImmutable, immutableWhenMarked } from "../../updates/immutable.ts";

const secretKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

/** Validates a Secret except for its metadata; see `ValidateSecret` in Kubernetes. */
export function checkSecret(object: Field): void {
  const data = object.at("data");
  let bytes = 0;
  for (const [key, value] of data.entries()) {
    data.as(`data[${key}]`).with(key).each(configKeyProblems(key));
    bytes += Buffer.from(String(value), "base64").length;
  }
  if (bytes > configBytesMax) data.tooLong(configBytesMax);
  const type = object.at("type").text;
  if (type === "kubernetes.io/service-account-token") {
    const name = object.at("metadata").at("annotations").at("kubernetes.io/service-account.name");
    if (name.text === "") name.as("metadata.annotations[kubernetes.io/service-account.name]").required();
  } else if (type === "kubernetes.io/basic-auth") {
    if (!data.at("username").isSet && !data.at("password").isSet) {
      data.as("data[username]").required();
      data.as("data[password]").required();
    }
  } else {
    for (const key of Object.hasOwn(secretKeys, type) ? (secretKeys[type] ?? []) : []) {
      if (!data.at(key).isSet) data.as(`data[${key}]`).required();
    }
  }
}

const checkMarkedSecret = immutableWhenMarked("field is immutable when `immutable` is set", "data");

/** Checks that an update keeps the type, and the data of an immutable Secret. */
export function checkChangedSecret(object: Field, old: Field): void {
  checkImmutable(object, old, "type");
  checkMarkedSecret(object, old);
}
