import type { ServedKind } from "../resources/served-kind.ts";
import { checkChangedDefinition, checkDefinitionStatus, checkNewDefinition } from "./check-definition.ts";
import {
  definitionWarnings,
  isSameSpec,
  prepareChangedDefinition,
  prepareNewDefinition,
} from "./prepare-definition.ts";
import { beginTermination } from "./terminating.ts";

/** The rules of CustomResourceDefinitions that differ from other built-in kinds. */
export const definitionRules: Pick<
  ServedKind,
  "prepareNew" | "prepareChanged" | "checkNew" | "checkChanged" | "warningsOf" | "incrementsGeneration" | "termination"
> = {
  prepareNew: prepareNewDefinition,
  prepareChanged: (object, old, { subresource }) => prepareChangedDefinition(object, old, subresource),
  checkNew: checkNewDefinition,
  checkChanged: (object, old, { subresource }) =>
    subresource === "status" ? checkDefinitionStatus(object, old) : checkChangedDefinition(object, old),
  warningsOf: definitionWarnings,
  incrementsGeneration: (object, old) => !isSameSpec(object, old),
  // After termination began, the finalizers keep the definition, as with any object.
  termination: { begin: beginTermination, isFinal: () => true },
};
