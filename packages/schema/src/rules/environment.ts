import { createEnvironment, kubernetesLibraries, type CelType, type Environment } from "@homeostat/cel";

/** Returns the CEL environment of the rules of a node. */
export function ruleEnvironment(variables: { readonly self: CelType; readonly oldSelf: CelType }): Environment {
  return createEnvironment({ libraries: kubernetesLibraries, variables });
}
