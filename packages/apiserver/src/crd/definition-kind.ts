import type { ServedKind } from "../registry/served-kind.ts";
import { checkChangedDefinition, checkDefinitionStatus, checkNewDefinition } from "./check-definition.ts";
import {
  definitionWarnings,
  isSameSpec,
  prepareChangedDefinition,
  prepareNewDefinition,
} from "./prepare-definition.ts";
import { beginTermination } from "./terminating.ts";

/** What differs between CustomResourceDefinitions and other kinds of Kubernetes. */
export const definitionRules: Pick<
  ServedKind,
  "prepareNew" | "prepareChanged" | "checkNew" | "checkChanged" | "warningsOf" | "isNewWish" | "termination"
> = {
  prepareNew: prepareNewDefinition,
  prepareChanged: (object, old, { subresource }) => prepareChangedDefinition(object, old, subresource),
  checkNew: checkNewDefinition,
  checkChanged: (object, old, { subresource }) =>
    subresource === "status" ? checkDefinitionStatus(object, old) : checkChangedDefinition(object, old),
  warningsOf: definitionWarnings,
  isNewWish: (object, old) => !isSameSpec(object, old),
  // Once it is marked its finalizers keep it, as they keep any object.
  termination: { begin: beginTermination, isFinal: () => true },
};
