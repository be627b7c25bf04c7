import { isQuantity, parseQuantity } from "@homeostat/core";
import type { Field } from "../../validation/field.ts";
import { checkLabelSelector } from "../../validation/label-selector.ts";

const modes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** Checks the spec of a PersistentVolumeClaim. */
export function checkClaimSpec(spec: Field): void {
  const accessModes = spec.at("accessModes");
  if (accessModes.length === 0) accessModes.required("at least 1 access mode is required");
  checkLabelSelector(spec.at("selector"));
  const texts = accessModes.items().map((mode) => mode.text);
  for (const mode of texts) if (!modes.includes(mode)) accessModes.notSupported(modes, mode);
  if (texts.includes("ReadWriteOncePod") && texts.some((mode) => mode !== "ReadWriteOncePod" && modes.includes(mode))) {
    accessModes.forbidden("may not use ReadWriteOncePod with other access modes");
  }
  const storage = spec.at("resources").at("requests").at("storage");
  const path = `${spec.path}.resources[storage]`;
  if (!storage.isSet) storage.as(path).required();
  else if (isQuantity(String(storage.value)) && parseQuantity(String(storage.value)).sign() <= 0) {
    storage.as(path).invalid("must be greater than zero", parseQuantity(String(storage.value)).toString());
  }
  const name = spec.at("storageClassName");
  if (name.text !== "") name.dnsSubdomain();
  if (spec.at("volumeMode").isSet) spec.at("volumeMode").oneOf(["Block", "Filesystem"]);
}
