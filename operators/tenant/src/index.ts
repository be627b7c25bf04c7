// The kind
export {
  type ComponentPhase,
  type ComponentStatus,
  type Phase,
  type RotationStep,
  Tenant,
  type TenantCondition,
  type TenantInput,
  type TenantSpec,
  type TenantStatus,
} from "./api/tenant.ts";
export { type ConditionType, type Reason, reasons } from "./api/status.ts";
export { annotations, type Component, finalizer, labels, ports } from "./api/identity.ts";
export { nameLengthMax, names, namespaceOf, serverUrl, tenantOfNamespace } from "./api/names.ts";

// Webhooks
export { defaultingWebhook, type DefaultSettings } from "./webhooks/defaulting.ts";
export { type ReadNamespace, tenantWebhook, type ValidatingOptions } from "./webhooks/validating.ts";

// The operator
export type { TenantSettings } from "./settings/settings.ts";
export { tenantOperator, type TenantOperatorOptions } from "./operator.ts";
