import { FieldSet } from "./field-set.ts";
import { fieldElement } from "./path-element.ts";

const metadata = fieldElement("metadata");
const ofMetadata = [
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

/** The fields that identify an object or belong to the server, and that no manager ever owns. */
export const neverOwned: FieldSet = FieldSet.of([
  [fieldElement("apiVersion")],
  [fieldElement("kind")],
  [metadata],
  ...ofMetadata.map((name) => [metadata, fieldElement(name)]),
]);
