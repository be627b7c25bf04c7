// Definition
export { defineOperator } from "./definition/define-operator.ts";
export { inNamespaces } from "./definition/in-namespaces.ts";
export type {
  FromSettings,
  Operator,
  OperatorDefinition,
  OperatorParts,
  OperatorSettings,
} from "./definition/operator.ts";
export type { Service, ServiceTools } from "./definition/service-tools.ts";
export { OperatorDefinitionError, type OperatorProblem, UsageError } from "./errors.ts";
export {
  type Flag,
  flag,
  type FlagOptions,
  type FlagReading,
  type Flags,
  type SettingsOf,
  type TextRules,
} from "./flags/flag.ts";

// Manifests
export { operatorAccess } from "./access/operator-access.ts";
export { type Manifest, operatorManifests, toYamlDocuments } from "./manifests/operator-manifests.ts";
export { type ChartOptions, operatorChart } from "./chart/operator-chart.ts";
export type { CertificateSource, ManifestOptions } from "./manifests/options.ts";
