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
