// The names that most operators need. This file holds no code: each name comes from the package named above it, which
// has the rest.

// Kinds: @homeostat/schema
export {
  type Conversion,
  defineConversion,
  defineResource,
  DefinitionError,
  type InputOf,
  type Resource,
  type ResourceVersion,
  s,
} from "@homeostat/schema";

// Built-in kinds, each from the module of its group and version: @homeostat/kubernetes/apps/v1
export type { BuiltInResource } from "@homeostat/kubernetes";

// Controllers: @homeostat/runtime
export {
  type AccessDefinition,
  applied,
  classifyApiFailure,
  type ClassifiedApiFailure,
  combineStatusPlans,
  type ConditionReasonOf,
  type ConditionTexts,
  type ConditionTypeOf,
  type ConditionValue,
  type Controller,
  type ControllerDefinition,
  Counter,
  created,
  createManager,
  defineController,
  desired,
  type DesiredObject,
  type ErrorPolicy,
  type EventNote,
  Gauge,
  growVolumes,
  Histogram,
  type Logger,
  keySource,
  type KeySource,
  managed,
  type Manager,
  type ManagerOptions,
  type PodProblem,
  type PodProblemReason,
  podProblems,
  projected,
  type ReconcileContext,
  type ReconcileResult,
  refusalIn,
  runUntilSignal,
  type Service,
  type ServiceDefinition,
  type ServiceTools,
  type OwnershipDefinition,
  type PlannedAction,
  type SyncResult,
  type Tier,
  source,
  type StatusPlan,
  type VolumeGrowth,
  volumeGrowthAccess,
  watched,
  when,
} from "@homeostat/runtime";

// Webhooks: @homeostat/webhook
export {
  type AdmissionContext,
  AdmissionDeniedError,
  type AdmissionWebhook,
  denialMessage,
  type Finding,
  mutatingWebhook,
  validatingWebhook,
} from "@homeostat/webhook";

// Operators: @homeostat/operator
export {
  ConfigurationError,
  createOperatorManager,
  defineOperator,
  flag,
  type FlagAliases,
  type ManifestOptions,
  type Operator,
  type OperatorDefinition,
  operatorChart,
  operatorManifests,
  type Provided,
  runOperator,
  toYamlDocuments,
} from "@homeostat/operator";

// The API server: @homeostat/client
export { Client, createClient, loadConnection } from "@homeostat/client";

// Shared types and errors: @homeostat/core
export {
  type Condition,
  type DeepReadonly,
  HomeostatError,
  type KubeObject,
  type ObjectMeta,
  type ObjectKey,
  type ObjectOf,
  type ResourceType,
  type WritableResourceType,
  safeName,
  type Stored,
  TerminalError,
  TransientError,
} from "@homeostat/core";
