// Made from what Kubernetes v1.36.3 says of itself by tools/apiserver-data. Do not edit: run that tool.
// Derived from the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import { admissionregistrationDefinitions } from "./schemas/admissionregistration.ts";
import { apiextensionsDefinitions } from "./schemas/apiextensions.ts";
import { apiregistrationDefinitions } from "./schemas/apiregistration.ts";
import { appsDefinitions } from "./schemas/apps.ts";
import { authenticationDefinitions } from "./schemas/authentication.ts";
import { authorizationDefinitions } from "./schemas/authorization.ts";
import { autoscalingDefinitions } from "./schemas/autoscaling.ts";
import { batchDefinitions } from "./schemas/batch.ts";
import { certificatesDefinitions } from "./schemas/certificates.ts";
import { coordinationDefinitions } from "./schemas/coordination.ts";
import { coreDefinitions } from "./schemas/core.ts";
import { discoveryDefinitions } from "./schemas/discovery.ts";
import { eventsDefinitions } from "./schemas/events.ts";
import { flowcontrolDefinitions } from "./schemas/flowcontrol.ts";
import { metaDefinitions } from "./schemas/meta.ts";
import { networkingDefinitions } from "./schemas/networking.ts";
import { nodeDefinitions } from "./schemas/node.ts";
import { policyDefinitions } from "./schemas/policy.ts";
import { rbacDefinitions } from "./schemas/rbac.ts";
import { resourceDefinitions } from "./schemas/resource.ts";
import { schedulingDefinitions } from "./schemas/scheduling.ts";
import { storageDefinitions } from "./schemas/storage.ts";

/** The texts that hold the definitions, by the part of a definition's name that says which. */
export const definitionTexts: ReadonlyMap<string, string> = new Map([
  ["admissionregistration", admissionregistrationDefinitions],
  ["apps", appsDefinitions],
  ["authentication", authenticationDefinitions],
  ["authorization", authorizationDefinitions],
  ["autoscaling", autoscalingDefinitions],
  ["batch", batchDefinitions],
  ["certificates", certificatesDefinitions],
  ["coordination", coordinationDefinitions],
  ["core", coreDefinitions],
  ["discovery", discoveryDefinitions],
  ["events", eventsDefinitions],
  ["flowcontrol", flowcontrolDefinitions],
  ["networking", networkingDefinitions],
  ["node", nodeDefinitions],
  ["policy", policyDefinitions],
  ["rbac", rbacDefinitions],
  ["resource", resourceDefinitions],
  ["scheduling", schedulingDefinitions],
  ["storage", storageDefinitions],
  ["apiextensions", apiextensionsDefinitions],
  ["meta", metaDefinitions],
  ["apiregistration", apiregistrationDefinitions],
]);
