// The CEL variable `authorizer` of admission expressions, which checks whether a user is authorized for an action.

import {
  boolType,
  CelOpaque,
  type CelFailure,
  type CelValue,
  defineOverload,
  exactRange,
  type FunctionDeclaration,
  type Library,
  noSuchOverload,
  opaqueType,
  type OpaqueType,
  stringType,
} from "@homeostat/cel";
import type { Authorizer, Decision } from "../../auth/attributes.ts";
import { serviceAccountGroups, serviceAccountUserName, type User } from "../../auth/user.ts";

/** The authorizer to call and the user to check. */
interface AccessCheck {
  readonly authorizer: Authorizer;
  readonly user: User;
}

abstract class Receiver extends CelOpaque {
  override equals(other: CelValue): boolean | CelFailure {
    return other instanceof Receiver ? this === other : noSuchOverload();
  }
}

/** The value of the variable `authorizer`. */
export class AuthorizerValue extends Receiver {
  readonly access: AccessCheck;

  constructor(access: AccessCheck) {
    super();
    this.access = access;
  }

  override get type(): OpaqueType<AuthorizerValue> {
    return authorizerType;
  }
}

class PathCheckValue extends Receiver {
  readonly access: AccessCheck;
  readonly path: string;

  constructor(access: AccessCheck, path: string) {
    super();
    this.access = access;
    this.path = path;
  }

  override get type(): OpaqueType<PathCheckValue> {
    return pathCheckType;
  }
}

class GroupCheckValue extends Receiver {
  readonly access: AccessCheck;
  readonly group: string;

  constructor(access: AccessCheck, group: string) {
    super();
    this.access = access;
    this.group = group;
  }

  override get type(): OpaqueType<GroupCheckValue> {
    return groupCheckType;
  }
}

/** The resource attributes of an authorization check. */
interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A check for a resource, and the value of the variable `authorizer.requestResource`. */
export class ResourceCheckValue extends Receiver {
  readonly access: AccessCheck;
  readonly attributes: ResourceAttributes;

  constructor(access: AccessCheck, attributes: ResourceAttributes) {
    super();
    this.access = access;
    this.attributes = attributes;
  }

  override get type(): OpaqueType<ResourceCheckValue> {
    return resourceCheckType;
  }

  with(changes: Partial<ResourceAttributes>): ResourceCheckValue {
    return new ResourceCheckValue(this.access, { ...this.attributes, ...changes });
  }
}

class DecisionValue extends Receiver {
  readonly decision: Decision;

  constructor(decision: Decision) {
    super();
    this.decision = decision;
  }

  override get type(): OpaqueType<DecisionValue> {
    return decisionType;
  }
}

const constantCost = { estimateEquality: (): ReturnType<typeof exactRange> => exactRange(1) };

/** The CEL type of `authorizer`. */
export const authorizerType: OpaqueType<AuthorizerValue> = opaqueType(
  "kubernetes.authorization.Authorizer",
  AuthorizerValue,
  constantCost,
);
const pathCheckType: OpaqueType<PathCheckValue> = opaqueType(
  "kubernetes.authorization.PathCheck",
  PathCheckValue,
  constantCost,
);
const groupCheckType: OpaqueType<GroupCheckValue> = opaqueType(
  "kubernetes.authorization.GroupCheck",
  GroupCheckValue,
  constantCost,
);
/** The CEL type of `authorizer.requestResource`. */
export const resourceCheckType: OpaqueType<ResourceCheckValue> = opaqueType(
  "kubernetes.authorization.ResourceCheck",
  ResourceCheckValue,
  constantCost,
);
const decisionType: OpaqueType<DecisionValue> = opaqueType(
  "kubernetes.authorization.Decision",
  DecisionValue,
  constantCost,
);

/** Cost of one check. It is this high so that one expression can make at most two checks. */
const checkCost = 350_000;

function attributeFunction(name: "name" | "namespace" | "subresource"): FunctionDeclaration {
  return {
    name,
    overloads: [
      defineOverload({
        id: `resourcecheck_${name}`,
        member: true,
        params: [resourceCheckType, stringType],
        result: resourceCheckType,
        implement: (check, text) => check.with({ [name]: text }),
      }),
    ],
  };
}

/** Declares a selector function. Selectors do not change the decision here, as with RBAC on the real server. */
function selectorFunction(name: "fieldSelector" | "labelSelector"): FunctionDeclaration {
  return {
    name,
    overloads: [
      defineOverload({
        id: `authorizer_${name.toLowerCase()}`,
        member: true,
        params: [resourceCheckType, stringType],
        result: resourceCheckType,
        implement: (check) => check,
      }),
    ],
  };
}

/** The functions of `authorizer`. */
export const authorizerLibrary: Library = {
  name: "kubernetes.authz",
  types: [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType],
  functions: [
    {
      name: "path",
      overloads: [
        defineOverload({
          id: "authorizer_path",
          member: true,
          params: [authorizerType, stringType],
          result: pathCheckType,
          implement: ({ access }, path) => new PathCheckValue(access, path),
        }),
      ],
    },
    {
      name: "group",
      overloads: [
        defineOverload({
          id: "authorizer_group",
          member: true,
          params: [authorizerType, stringType],
          result: groupCheckType,
          implement: ({ access }, group) => new GroupCheckValue(access, group),
        }),
      ],
    },
    {
      name: "serviceAccount",
      overloads: [
        defineOverload({
          id: "authorizer_serviceaccount",
          member: true,
          params: [authorizerType, stringType, stringType],
          result: authorizerType,
          implement: ({ access }, namespace, name) =>
            new AuthorizerValue({ ...access, user: accountUser(namespace, name) }),
        }),
      ],
    },
    {
      name: "resource",
      overloads: [
        defineOverload({
          id: "groupcheck_resource",
          member: true,
          params: [groupCheckType, stringType],
          result: resourceCheckType,
          implement: ({ access, group }, resource) =>
            new ResourceCheckValue(access, { group, resource, subresource: "", namespace: "", name: "" }),
        }),
      ],
    },
    attributeFunction("subresource"),
    attributeFunction("namespace"),
    attributeFunction("name"),
    selectorFunction("fieldSelector"),
    selectorFunction("labelSelector"),
    {
      name: "check",
      overloads: [
        defineOverload({
          id: "pathcheck_check",
          member: true,
          params: [pathCheckType, stringType],
          result: decisionType,
          implement: ({ access: { authorizer, user }, path }, verb) =>
            new DecisionValue(authorizer.authorize({ user, verb, path })),
        }),
        defineOverload({
          id: "resourcecheck_check",
          member: true,
          params: [resourceCheckType, stringType],
          result: decisionType,
          implement: ({ access: { authorizer, user }, attributes }, verb) =>
            new DecisionValue(authorizer.authorize({ user, verb, ...attributes })),
        }),
      ],
      cost: { estimate: () => ({ cost: exactRange(checkCost) }), track: () => checkCost },
    },
    decisionField("allowed", boolType, ({ decision }) => decision.isAllowed),
    decisionField("reason", stringType, ({ decision }) => decision.reason),
    decisionField("errored", boolType, () => false),
    decisionField("error", stringType, () => ""),
  ],
};

function decisionField(
  name: string,
  result: typeof boolType | typeof stringType,
  implement: (decision: DecisionValue) => CelValue,
): FunctionDeclaration {
  return {
    name,
    overloads: [{ id: `decision_${name}`, member: true, params: [decisionType], result, implement: read }],
  };
  function read(decision: CelValue): CelValue | CelFailure {
    return decision instanceof DecisionValue ? implement(decision) : noSuchOverload();
  }
}

function accountUser(namespace: string, name: string): User {
  return {
    name: serviceAccountUserName(namespace, name),
    uid: "",
    groups: [...serviceAccountGroups(namespace), "system:authenticated"],
    extra: {},
  };
}
