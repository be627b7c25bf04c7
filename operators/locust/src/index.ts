// The kind
export {
  type ConditionType,
  LocustTest,
  type LocustTestCondition,
  type LocustTestInput,
  type LocustTestSpec,
  type LocustTestStatus,
  type LocustTestV1,
  type LocustTestV1Input,
  type Phase,
  type Reason,
  type ThresholdResult,
} from "./api/locust-test.ts";
export { annotations, finalizer, labels, manager, nodeName, ports, resultsName, webUiName } from "./api/names.ts";

// Objects, validation and conversion
export type { BuildInput, Desired } from "./build/objects.ts";
export { masterJob, workerJob } from "./build/jobs.ts";
export { masterService, webUiService, webUiUrl } from "./build/services.ts";
export { describeProblems, type Rule, type TestProblem, type TestWarning } from "./validation/problem.ts";
export { testProblems } from "./validation/rules.ts";
export { testWarnings } from "./validation/warnings.ts";
export { locustWebhook } from "./webhooks/admission.ts";
export { conversion } from "./webhooks/conversion.ts";

// The operator
export { ForeignDefinitionError, refuseForeignDefinition } from "./install/foreign-definition.ts";
export { locustOperator, type LocustOperatorOptions } from "./operator.ts";
export { readSettings, type Settings } from "./settings/settings.ts";
