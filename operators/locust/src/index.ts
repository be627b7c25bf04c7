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
export type { Amounts, KafkaConfig, OperatorConfig, ResourceDefaults } from "./config/config.ts";
export { type ConfigProblem, ConfigurationError } from "./config/errors.ts";
export { type ConfigReading, describeConfig, readConfig } from "./config/read-config.ts";
export type { ConfigWarning, Environment } from "./config/variables.ts";

// Objects
export type { Made, Plan } from "./build/objects.ts";
export { masterJob, workerJob } from "./build/jobs.ts";
export { masterService, webUiService, webUiUrl } from "./build/service.ts";
export { type CommandLine, type EffectiveArguments, effectiveArguments, type Setting } from "./arguments/effective.ts";

// Judging tests
export { describeProblems, type Rule, type TestProblem, type TestWarning } from "./validation/problem.ts";
export { testProblems } from "./validation/validate.ts";
export { testWarnings } from "./validation/warnings.ts";
export { locustWebhook } from "./validation/webhook.ts";

// Versions
export { conversion } from "./conversion/convert.ts";

// The operator
export { locustOperator, type LocustOperatorOptions } from "./operator.ts";
