// The kind
export { type ConditionType, conditionTypes, type Reason, reasons } from "./api/conditions.ts";
export { annotations, type Component, finalizer, labels, ports } from "./api/identity.ts";
export { nameLengthMax, names, namespaceOf, serverUrl, tenantOfNamespace } from "./api/names.ts";
