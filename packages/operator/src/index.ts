// Definition
export { defineOperator } from "./definition/define-operator.ts";
export type {
  CompanionDefaults,
  FromSettings,
  ManagedParts,
  ManagerTuning,
  Operator,
  OperatorDefinition,
  OperatorParts,
  OwnAccess,
  Provided,
  SettingAccess,
  WebhookAccess,
} from "./definition/operator.ts";
export {
  CertificateWaitError,
  ConfigurationError,
  type ConfigurationProblem,
  NotRunningError,
  OperatorDefinitionError,
  type OperatorProblem,
} from "./errors.ts";
export type { FlagAlias, FlagAliases, IgnoredFlag } from "./flags/aliases.ts";
export {
  type Flag,
  flag,
  type FlagOptions,
  type FlagReading,
  type Flags,
  type SettingsOf,
  type TextRules,
} from "./flags/flag.ts";
export type { Environment } from "./flags/read-flags.ts";

// Environment variables
export {
  type ConfigurationWarning,
  EnvironmentReader,
  type EnvironmentReading,
  readEnvironment,
} from "./environment/environment-reader.ts";
export {
  type ComputeQuantities,
  computeRequirements,
  type ComputeResources,
  type ComputeResourceValues,
  computeResourceVariables,
  overrideComputeResources,
  readComputeResources,
} from "./environment/compute-resources.ts";
export { configurationLog, type ConfigurationLogOptions } from "./environment/configuration-log.ts";

// Manifests
export { operatorAccess } from "./access/operator-access.ts";
export { type Manifest, operatorManifests, toYamlDocuments } from "./manifests/operator-manifests.ts";
export { type ChartOptions, operatorChart } from "./chart/operator-chart.ts";
export { celList, denyBinding } from "./installation/admission-policy.ts";
export type { AliasEffect, ChartAlias } from "./installation/chart-alias.ts";
export type { ChartSwitch, ChartVariable, PlainVariable, SecretVariable } from "./installation/chart-variable.ts";
export type { Extra, Extras, InstallationContext } from "./installation/extra.ts";
export type { UninstallStep } from "./installation/uninstall-step.ts";
export { controllerPanels, type Dashboard, dashboardExtra, type Panel } from "./manifests/dashboard.ts";
export { type Alert, alertsExtra } from "./manifests/standard-extras.ts";
export {
  dashboardCompanion,
  type DashboardDefinition,
  dashboardDefinition,
  type DashboardFlags,
  dashboardSecretFiles,
  type DashboardSettings,
} from "./companions/dashboard.ts";
export type { SecretFiles, ServicePort } from "./installation/program-ports.ts";
export type {
  CertificateSource,
  InstallationDefaults,
  ManifestOptions,
  OperatorSettings,
} from "./installation/options.ts";

// Webhooks
export { type CertificateOrigin, webhookService, type WebhookServiceOptions } from "./webhooks/webhook-service.ts";

// Certificates and metrics
export {
  type CertificateTools,
  issuedCertificate,
  issuedCertificateAccess,
  type IssuedCertificateNames,
  type IssuedCertificateOptions,
} from "./certificates/issued-certificate.ts";
export type { CertificateFolder } from "./certificates/certificate-folder.ts";
export type { SecureMetricsOptions } from "./metrics/metrics-service.ts";

// Access
export { type AccessRecorder, accessRecorder, type UsedAccess } from "./access/access-recorder.ts";
export { type AccessDifference, compareAccess } from "./access/compare-access.ts";

// Running
export { createOperatorManager, type OperatorManagerOptions } from "./run/operator-manager.ts";
export type { RunSettings } from "./flags/run-flags.ts";
export { runOperator, type RunOptions, type TextOutput } from "./run/run-operator.ts";

// Rehearsals
export type { ObjectChange, ObjectWatcher, Outlook, SummaryLine, TimelineEntry } from "./rehearsal/timeline.ts";

// Traces of programs that are not operators
export { type SpanExport, spanExport } from "./tracing/operator-traces.ts";
export type { FinishedSpan, SpanEvent } from "./tracing/finished-span.ts";
