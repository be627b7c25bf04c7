// `authorizer` in expressions of admission: asks whether somebody may do something.

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

/** Who asks, and whom. */
interface Asking {
  readonly authorizer: Authorizer;
  readonly user: User;
}

abstract class Receiver extends CelOpaque {
  override equals(other: CelValue): boolean | CelFailure {
    return other instanceof Receiver ? this === other : noSuchOverload();
  }
}

/** The variable `authorizer`. */
export class AuthorizerValue extends Receiver {
  readonly asking: Asking;

  constructor(asking: Asking) {
    super();
    this.asking = asking;
  }

  override get type(): OpaqueType<AuthorizerValue> {
    return authorizerType;
  }
}

class PathCheckValue extends Receiver {
  readonly asking: Asking;
  readonly path: string;

  constructor(asking: Asking, path: string) {
    super();
    this.asking = asking;
    this.path = path;
  }

  override get type(): OpaqueType<PathCheckValue> {
    return pathCheckType;
  }
}

class GroupCheckValue extends Receiver {
  readonly asking: Asking;
  readonly group: string;

  constructor(asking: Asking, group: string) {
    super();
    this.asking = asking;
    this.group = group;
  }

  override get type(): OpaqueType<GroupCheckValue> {
    return groupCheckType;
  }
}

/** What a question about a resource is made of. */
interface ResourceQuestion {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A question about a resource, and the variable `authorizer.requestResource`. */
export class ResourceCheckValue extends Receiver {
  readonly asking: Asking;
  readonly question: ResourceQuestion;

  constructor(asking: Asking, question: ResourceQuestion) {
    super();
    this.asking = asking;
    this.question = question;
  }

  override get type(): OpaqueType<ResourceCheckValue> {
    return resourceCheckType;
  }

  with(part: Partial<ResourceQuestion>): ResourceCheckValue {
    return new ResourceCheckValue(this.asking, { ...this.question, ...part });
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

const flat = { estimateEquality: (): ReturnType<typeof exactRange> => exactRange(1) };

/** The type of `authorizer`. */
export const authorizerType: OpaqueType<AuthorizerValue> = opaqueType(
  "kubernetes.authorization.Authorizer",
  AuthorizerValue,
  flat,
);
const pathCheckType: OpaqueType<PathCheckValue> = opaqueType(
  "kubernetes.authorization.PathCheck",
  PathCheckValue,
  flat,
);
const groupCheckType: OpaqueType<GroupCheckValue> = opaqueType(
  "kubernetes.authorization.GroupCheck",
  GroupCheckValue,
  flat,
);
/** The type of `authorizer.requestResource`. */
export const resourceCheckType: OpaqueType<ResourceCheckValue> = opaqueType(
  "kubernetes.authorization.ResourceCheck",
  ResourceCheckValue,
  flat,
);
const decisionType: OpaqueType<DecisionValue> = opaqueType("kubernetes.authorization.Decision", DecisionValue, flat);

/** What asking costs: the real server counts it as dear. */
const checkCost = 350_000;

function part(name: "name" | "namespace" | "subresource"): FunctionDeclaration {
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

/** A selector narrows a question; here every answer is the same with and without it, as with RBAC on the real server. */
function selector(name: "fieldSelector" | "labelSelector"): FunctionDeclaration {
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
          implement: ({ asking }, path) => new PathCheckValue(asking, path),
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
          implement: ({ asking }, group) => new GroupCheckValue(asking, group),
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
          implement: ({ asking }, namespace, name) =>
            new AuthorizerValue({ ...asking, user: accountUser(namespace, name) }),
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
          implement: ({ asking, group }, resource) =>
            new ResourceCheckValue(asking, { group, resource, subresource: "", namespace: "", name: "" }),
        }),
      ],
    },
    part("subresource"),
    part("namespace"),
    part("name"),
    selector("fieldSelector"),
    selector("labelSelector"),
    {
      name: "check",
      overloads: [
        defineOverload({
          id: "pathcheck_check",
          member: true,
          params: [pathCheckType, stringType],
          result: decisionType,
          implement: ({ asking: { authorizer, user }, path }, verb) =>
            new DecisionValue(authorizer.authorize({ user, verb, path })),
        }),
        defineOverload({
          id: "resourcecheck_check",
          member: true,
          params: [resourceCheckType, stringType],
          result: decisionType,
          implement: ({ asking: { authorizer, user }, question }, verb) =>
            new DecisionValue(authorizer.authorize({ user, verb, ...question })),
        }),
      ],
      cost: { estimate: () => ({ cost: exactRange(checkCost) }), track: () => checkCost },
    },
    answer("allowed", boolType, ({ decision }) => decision.isAllowed),
    answer("reason", stringType, ({ decision }) => decision.reason),
    answer("errored", boolType, () => false),
    answer("error", stringType, () => ""),
  ],
};

function answer(
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
