// Updates of a claim may set its volume and class once, and change the storage request of a bound claim.

import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { quantityOf, type Field } from "../../shared/field.ts";
import { printedDifference } from "../../shared/printed-difference.ts";
import { printedAs } from "../../shared/printed.ts";

const refusal =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

/** Checks that an update changes only the mutable fields of a claim. */
export function checkChangedClaim(object: Field, old: Field): void {
  const [spec, before] = [object.at("spec"), old.at("spec")];
  const isBound = object.at("status").at("phase").text === "Bound";
  const [now, then]: JsonRecord[] = [recordOf(spec.value), recordOf(before.value)];
  if (now === undefined || then === undefined) return;
  const settle = (name: string): void => {
    if (then[name] === undefined) delete now[name];
    else now[name] = then[name];
  };
  if (before.at("volumeName").text === "") settle("volumeName");
  if (!before.at("storageClassName").isSet) settle("storageClassName");
  if (isBound) {
    settle("volumeAttributesClassName");
    now["resources"] = withStorage(
      spec.at("resources").value,
      before.at("resources").at("requests").at("storage").value,
    );
  }
  if (!isEqual(now, then)) {
    // The message shows the volume that this update sets.
    const volume = spec.at("volumeName").value;
    const name = before.at("volumeName").text === "" && volume !== undefined ? { volumeName: volume } : {};
    const [a, b] = [then, now].map((each) => printedAs("PersistentVolumeClaimSpec", { ...each, ...name }));
    spec.forbidden(`${refusal}\n${printedDifference(a, b)}`);
  }
  const storage = spec.at("resources").at("requests").at("storage");
  const [size, oldSize] = [quantityOf(storage.value), quantityOf(valueOf(before))];
  const held = quantityOf(old.at("status").at("capacity").at("storage").value);
  if (size !== undefined && oldSize?.isGreaterThan(size) === true && held !== undefined && !size.isGreaterThan(held)) {
    storage.forbidden("field can not be less than status.capacity");
  }
  const mode = spec.at("volumeMode");
  if (!isEqual(mode.value, before.at("volumeMode").value)) mode.as("volumeMode").invalid("field is immutable");
}

function valueOf(spec: Field): unknown {
  return spec.at("resources").at("requests").at("storage").value;
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? { ...value } : {};
}

function withStorage(resources: unknown, storage: unknown): unknown {
  if (!isRecord(resources) || !isRecord(resources["requests"])) return resources;
  return { ...resources, requests: { ...resources["requests"], ...(storage === undefined ? {} : { storage }) } };
}
