// Updates of a claim may set its volume and class once, and change the storage request of a bound claim.

import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { quantityOf, type Field } from "../../../validation/field.ts";
import { printedDifference } from "../../printed-values/printed-difference.ts";
import { printedAs } from "../../printed-values/printed.ts";

const forbiddenMessage =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

/** Checks that an update changes only the mutable fields of a claim. */
export function checkChangedClaim(object: Field, old: Field): void {
  const [spec, before] = [object.at("spec"), old.at("spec")];
  const isBound = object.at("status").at("phase").text === "Bound";
  const [now, stored]: JsonRecord[] = [recordOf(spec.value), recordOf(before.value)];
  if (now === undefined || stored === undefined) return;
  const ignoreChange = (name: string): void => {
    if (stored[name] === undefined) delete now[name];
    else now[name] = stored[name];
  };
  if (before.at("volumeName").text === "") ignoreChange("volumeName");
  if (!before.at("storageClassName").isSet) ignoreChange("storageClassName");
  if (isBound) {
    ignoreChange("volumeAttributesClassName");
    now["resources"] = withStorage(
      spec.at("resources").value,
      before.at("resources").at("requests").at("storage").value,
    );
  }
  if (!isEqual(now, stored)) {
    // The message shows the volume that this update sets.
    const volume = spec.at("volumeName").value;
    const name = before.at("volumeName").text === "" && volume !== undefined ? { volumeName: volume } : {};
    const [a, b] = [stored, now].map((each) => printedAs("PersistentVolumeClaimSpec", { ...each, ...name }));
    spec.forbidden(`${forbiddenMessage}\n${printedDifference(a, b)}`);
  }
  const storage = spec.at("resources").at("requests").at("storage");
  const [size, oldSize] = [quantityOf(storage.value), quantityOf(valueOf(before))];
  const capacity = quantityOf(old.at("status").at("capacity").at("storage").value);
  if (
    size !== undefined &&
    oldSize?.isGreaterThan(size) === true &&
    capacity !== undefined &&
    !size.isGreaterThan(capacity)
  ) {
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
