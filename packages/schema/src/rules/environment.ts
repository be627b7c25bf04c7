import { createEnvironment, kubernetesLibraries, type CelType, type Environment } from "@homeostat/cel";

/** The environment of the rules of a node, with the types of the value now and before. */
export function ruleEnvironment(variables: { readonly self: CelType; readonly oldSelf: CelType }): Environment {
  return createEnvironment({ libraries: kubernetesLibraries, variables });
}
