// What expressions of admission see: the object, what it was, the request, and who may do what.

import {
  boolType,
  type CelResult,
  type CelType,
  createEnvironment,
  dynType,
  type Environment,
  fromJson,
  type JsonShape,
  kubernetesLibraries,
  type ObjectShape,
  typeOfShape,
} from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { entriesAt } from "../../tables/read.ts";
import type { AdmissionRequest } from "../admission.ts";
import { admissionRequestOf } from "../webhooks/review.ts";
import {
  authorizerLibrary,
  authorizerType,
  AuthorizerValue,
  resourceCheckType,
  ResourceCheckValue,
} from "./authorizer-library.ts";

const text: JsonShape = { kind: "string" };
const list = (items: JsonShape): JsonShape => ({ kind: "list", items });
const map = (values: JsonShape): JsonShape => ({ kind: "map", values });
const object = (properties: Readonly<Record<string, JsonShape>>): ObjectShape => ({
  kind: "object",
  properties: new Map(Object.entries(properties)),
});

const kindShape = object({ group: text, version: text, kind: text });
const resourceShape = object({ group: text, version: text, resource: text });
const requestShape = object({
  kind: kindShape,
  resource: resourceShape,
  subResource: text,
  requestKind: kindShape,
  requestResource: resourceShape,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: object({ username: text, uid: text, groups: list(text), extra: map(list(text)) }),
  dryRun: { kind: "bool" },
  options: { kind: "dyn", nullable: true },
});

const conditionShape = object({
  status: text,
  type: text,
  lastTransitionTime: { kind: "timestamp" },
  message: text,
  reason: text,
});
const metadataFields = [
  "name",
  "generateName",
  "namespace",
  "labels",
  "annotations",
  "uid",
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "resourceVersion",
  "finalizers",
];
const namespaceShape: ObjectShape = {
  ...object({
    metadata: object({
      name: text,
      generateName: text,
      namespace: text,
      labels: map(text),
      annotations: map(text),
      // The real server has it in capitals and then does not find it.
      UID: text,
      creationTimestamp: { kind: "timestamp" },
      deletionGracePeriodSeconds: { kind: "int" },
      deletionTimestamp: { kind: "timestamp" },
      generation: { kind: "int" },
      resourceVersion: text,
      finalizers: list(text),
    }),
    spec: object({ finalizers: list(text) }),
    status: object({ conditions: list(conditionShape), phase: text }),
  }),
  nullable: true,
};

/** Which variables an environment has beyond those that all have. */
export interface EnvironmentForm {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** The type of `variables`, where there are some. */
  readonly variables?: CelType;
}

/** An environment for expressions of admission. */
export function admissionEnvironment({ hasParams, hasAuthorizer, variables }: EnvironmentForm): Environment {
  return createEnvironment({
    libraries: [...kubernetesLibraries, authorizerLibrary],
    variables: {
      object: dynType,
      oldObject: dynType,
      request: typeOfShape(requestShape, "kubernetes.AdmissionRequest") ?? dynType,
      namespaceObject: typeOfShape(namespaceShape, "kubernetes.Namespace") ?? dynType,
      ...(hasParams ? { params: dynType } : {}),
      ...(hasAuthorizer ? { authorizer: authorizerType, "authorizer.requestResource": resourceCheckType } : {}),
      ...(variables === undefined ? {} : { variables }),
    },
  });
}

/** What the variables of an evaluation stand for. */
export interface EvaluationSubject {
  readonly request: AdmissionRequest;
  /** The kind as which the object is seen. */
  readonly kind: ServedKind;
  readonly object: JsonRecord | undefined;
  readonly oldObject: JsonRecord | undefined;
  readonly namespace?: JsonRecord | undefined;
  readonly params?: JsonRecord | undefined;
}

/** The variables of an evaluation. */
export function bindingsOf(subject: EvaluationSubject, authorizer: Authorizer): Record<string, CelResult> {
  const { request, kind, namespace } = subject;
  const { user } = request;
  const { group, plural: resource } = request.kind.resource;
  const asking = { authorizer, user };
  const shown =
    namespace === undefined
      ? null
      : {
          ...namespace,
          metadata: Object.fromEntries(
            entriesAt(namespace, "metadata").filter(([field]) => metadataFields.includes(field)),
          ),
        };
  return {
    object: fromJson(subject.object ?? null),
    oldObject: fromJson(subject.oldObject ?? null),
    params: fromJson(subject.params ?? null),
    request: fromJson(admissionRequestOf(request, kind, {}), requestShape),
    namespaceObject: fromJson(shown, namespaceShape),
    authorizer: new AuthorizerValue(asking),
    "authorizer.requestResource": new ResourceCheckValue(asking, {
      group,
      resource,
      subresource: request.subresource,
      namespace: request.namespace,
      name: request.name,
    }),
  };
}

/** The type that a condition has to have. */
export const conditionType: typeof boolType = boolType;
