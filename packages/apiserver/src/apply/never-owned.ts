import { FieldSet } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";

const metadata = fieldElement("metadata");
const metadataFields = [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
];

/** Fields that identify an object or are set by the server. No manager owns them. */
export const neverOwned: FieldSet = FieldSet.of([
  [fieldElement("apiVersion")],
  [fieldElement("kind")],
  [metadata],
  ...metadataFields.map((name) => [metadata, fieldElement(name)]),
]);
