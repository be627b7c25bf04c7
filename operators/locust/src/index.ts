// The kind
export {
  LocustTest,
  type LocustTestCondition,
  type LocustTestInput,
  type LocustTestSpec,
  type LocustTestStatus,
  type LocustTestV1,
  type LocustTestV1Input,
  type Metric,
  type Outcome,
  type PastRun,
  type Phase,
  type Progress,
  type Result,
  type Stop,
  type StopTrigger,
  type Threshold,
  type ThresholdResult,
  type WorkerStates,
} from "./api/locust-test.ts";
export { type ConditionType, conditionTypes, type Reason, reasons } from "./api/conditions.ts";
export { annotations, finalizer, labels, manager, ports, type Role } from "./api/identity.ts";
export { nodeName, resultsName, webUiName } from "./api/names.ts";

// Installing
export { ForeignDefinitionError, refuseForeignDefinition } from "./install/foreign-definition.ts";

// Configuration
export type { Amounts, KafkaConfig, OperatorConfig, ResourceDefaults } from "./settings/settings.ts";
export { type ConfigProblem, ConfigurationError } from "./settings/errors.ts";
export { type ConfigReading, describeConfig, readConfig } from "./settings/read-settings.ts";
export type { ConfigWarning, Environment } from "./settings/variables.ts";

// Objects
export type { Made, Plan } from "./build/objects.ts";
export { masterJob, workerJob } from "./build/jobs.ts";
export { masterService, webUiService, webUiUrl } from "./build/services.ts";
export {
  type CommandLine,
  type EffectiveArguments,
  effectiveArguments,
  type Setting,
} from "./build/effective-arguments.ts";

// Judging tests
export { describeProblems, type Rule, type TestProblem, type TestWarning } from "./validation/problem.ts";
export { testProblems } from "./validation/rules.ts";
export { testWarnings } from "./validation/warnings.ts";
export { locustWebhook } from "./webhooks/admission.ts";

// Versions
export { conversion } from "./webhooks/conversion.ts";

// The operator
export { locustOperator, type LocustOperatorOptions } from "./operator.ts";
