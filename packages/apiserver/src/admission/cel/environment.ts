// The variables of admission expressions: the new and old object, the request, the namespace, params and the
// authorizer.

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
} from "@homeostat/cel";
import type { JsonRecord } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import type { ServedKind } from "../../resources/served-kind.ts";
import type { AdmissionRequest } from "../admission.ts";
import { patchLibrary } from "./patch-library.ts";
import { DeclaredObject, type DeclaredShape, declaredType } from "./declared-object.ts";
import { admissionRequestOf } from "../webhooks/review.ts";
import {
  authorizerLibrary,
  authorizerType,
  AuthorizerValue,
  resourceCheckType,
  ResourceCheckValue,
} from "./authorizer-library.ts";

const text: JsonShape = { kind: "string" };
const time: JsonShape = { kind: "timestamp" };
const list = (items: JsonShape): JsonShape => ({ kind: "list", items });
const map = (values: JsonShape): JsonShape => ({ kind: "map", values });

const kindShape = { name: "kubernetes.GroupVersionKind", fields: { group: text, version: text, kind: text } };
const resourceShape = {
  name: "kubernetes.GroupVersionResource",
  fields: { group: text, version: text, resource: text },
};
const requestShape: DeclaredShape = {
  name: "kubernetes.AdmissionRequest",
  fields: {
    kind: kindShape,
    resource: resourceShape,
    subResource: text,
    requestKind: kindShape,
    requestResource: resourceShape,
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: text,
    userInfo: {
      name: "kubernetes.UserInfo",
      fields: { username: text, uid: text, groups: list(text), extra: map(list(text)) },
    },
    dryRun: { kind: "bool" },
    options: { kind: "dyn", nullable: true },
  },
};

const conditionFields: Readonly<Record<string, JsonShape>> = {
  status: text,
  type: text,
  lastTransitionTime: time,
  message: text,
  reason: text,
};
const namespaceShape: DeclaredShape = {
  name: "kubernetes.Namespace",
  fields: {
    metadata: {
      name: "kubernetes.NamespaceMetadata",
      fields: {
        name: text,
        generateName: text,
        namespace: text,
        labels: map(text),
        annotations: map(text),
        // The real server declares this name, but the data has `uid`; so the field is never set.
        UID: text,
        creationTimestamp: time,
        deletionGracePeriodSeconds: { kind: "int" },
        deletionTimestamp: time,
        generation: { kind: "int" },
        resourceVersion: text,
        finalizers: list(text),
      },
    },
    spec: { name: "kubernetes.NamespaceSpec", fields: { finalizers: list(text) } },
    status: {
      name: "kubernetes.NamespaceStatus",
      fields: {
        conditions: list({ kind: "object", properties: new Map(Object.entries(conditionFields)) }),
        phase: text,
      },
    },
  },
};

/** Selects the variables of an environment beyond those that all environments have. */
export interface EnvironmentForm {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** True if expressions may construct `Object` and `JSONPatch` values. */
  readonly makesPatches?: boolean;
  /** Type of `variables`; undefined if the policy declares none. */
  readonly variables?: CelType | undefined;
}

const withoutVariables = new Map<string, Environment>();
const withVariables = new WeakMap<CelType, Map<string, Environment>>();

/**
 * Returns the environment for admission expressions. It is created once per form, because creating one is expensive.
 */
export function admissionEnvironment(form: EnvironmentForm): Environment {
  const { hasParams, hasAuthorizer, makesPatches = false, variables } = form;
  const all =
    variables === undefined ? withoutVariables : (withVariables.get(variables) ?? new Map<string, Environment>());
  if (variables !== undefined) withVariables.set(variables, all);
  const key = `${hasParams} ${hasAuthorizer} ${makesPatches}`;
  const environment = all.get(key) ?? makeEnvironment(form);
  all.set(key, environment);
  return environment;
}

function makeEnvironment({ hasParams, hasAuthorizer, makesPatches = false, variables }: EnvironmentForm): Environment {
  return createEnvironment({
    libraries: [...kubernetesLibraries, authorizerLibrary, ...(makesPatches ? [patchLibrary] : [])],
    variables: {
      object: dynType,
      oldObject: dynType,
      request: declaredType(requestShape),
      namespaceObject: declaredType(namespaceShape),
      ...(hasParams ? { params: dynType } : {}),
      ...(hasAuthorizer ? { authorizer: authorizerType, "authorizer.requestResource": resourceCheckType } : {}),
      ...(variables === undefined ? {} : { variables }),
    },
  });
}

/** The data that the variables of an evaluation are bound to. */
export interface EvaluationSubject {
  readonly request: AdmissionRequest;
  /** The kind in whose version the object is evaluated. */
  readonly kind: ServedKind;
  readonly object: JsonRecord | undefined;
  readonly oldObject: JsonRecord | undefined;
  readonly namespace?: JsonRecord | undefined;
  readonly params?: JsonRecord | undefined;
}

/** Returns the variable bindings of an evaluation. */
export function bindingsOf(subject: EvaluationSubject, authorizer: Authorizer): Record<string, CelResult> {
  const { request, kind, namespace } = subject;
  const { user } = request;
  const { group, plural: resource } = request.kind.resource;
  const access = { authorizer, user };
  return {
    object: fromJson(subject.object ?? null),
    oldObject: fromJson(subject.oldObject ?? null),
    params: fromJson(subject.params ?? null),
    request: new DeclaredObject(admissionRequestOf(request, kind, {}), requestShape),
    namespaceObject: namespace === undefined ? null : new DeclaredObject(namespace, namespaceShape),
    authorizer: new AuthorizerValue(access),
    "authorizer.requestResource": new ResourceCheckValue(access, {
      group,
      resource,
      subresource: request.subresource,
      namespace: request.namespace,
      name: request.name,
    }),
  };
}

/** The result type required of a condition. */
export const conditionType: typeof boolType = boolType;
