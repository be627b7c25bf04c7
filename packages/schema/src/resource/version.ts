import { deepClone, isRecord, type KubeObject, ownValue, type Scope } from "@homeostat/core";
import { type CompiledSchema, deferSchema } from "../compiled/compile-schema.ts";
import type { Problem } from "../problem/problem.ts";
import type { Schema } from "../structural/schema.ts";
import { checkMetadata, checkScaleValues, checkType } from "./check-object.ts";
import { checkVersion } from "./check-version.ts";
import { printerColumns } from "./columns.ts";
import { conditionReasons } from "./conditions.ts";
import { DefinitionError } from "../problem/definition-error.ts";
import { toDefinitionProblem } from "./definition-problem.ts";
import type { VersionDefinition } from "./definition.ts";
import { InvalidObjectError } from "./invalid-object-error.ts";
import type { ResourceVersion } from "./resource.ts";
import { hasStatus, rootSchema } from "./root-schema.ts";

/** The properties of the kind that its versions share. */
interface Kind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
}

/** The result of {@link prepareVersion}: the version, or the problems of its definition. */
interface Prepared {
  readonly name: string;
  readonly version?: ResourceVersion;
  /** Problems of the definition, except those of the schema. */
  readonly problems: readonly Problem[];
  /** Checks the schema and returns its problems. The version must not be used for validation if there are any. */
  readonly schemaProblems: () => readonly Problem[];
}

/**
 * Builds a version of a kind from its definition. Returns all problems instead of throwing the first. The version calls `requireSound` before each
 * validation of an object; it throws if the schema has problems.
 */
export function prepareVersion(
  name: string,
  definition: VersionDefinition,
  kind: Kind,
  requireSound: () => void,
): Prepared {
  const { value: schema, problems: partProblems } = attempt(() => rootSchema(definition));
  if (schema === undefined) return { name, problems: partProblems, schemaProblems: () => [] };
  const { compiled, problems: found } = deferSchema(schema);
  const problems = checkVersion(definition, schema);
  const schemaProblems = (): Problem[] => found().map(toDefinitionProblem);
  if (problems.length > 0) return { name, problems, schemaProblems };
  const version = makeVersion({ name, definition, kind, schema, engine: compiled, requireSound });
  return { name, problems, schemaProblems, version };
}

/** Returns the result of `make`, or the problems of the error that it throws. */
function attempt<T>(make: () => T): { value?: T; problems: readonly Problem[] } {
  try {
    return { value: make(), problems: [] };
  } catch (error) {
    if (error instanceof DefinitionError) return { problems: error.problems };
    throw error;
  }
}

interface VersionParts {
  readonly name: string;
  readonly definition: VersionDefinition;
  readonly kind: Kind;
  readonly schema: Schema;
  readonly engine: CompiledSchema;
  readonly requireSound: () => void;
}

function makeVersion({ name, definition, kind, schema, engine, requireSound }: VersionParts): ResourceVersion {
  const apiVersion = `${kind.group}/${name}`;
  const { deprecationWarning, scale } = definition;
  const checkKind = (object: unknown): Problem[] => checkType(object, apiVersion, kind.kind);
  const isOfKind = (object: unknown): object is KubeObject => checkKind(object).length === 0;
  const check = (object: unknown, old: unknown): Problem[] => {
    requireSound();
    const wrongType = checkKind(object);
    if (wrongType.length > 0) return wrongType;
    const options = { skipsOversized: true, ...(old !== undefined && { old }) };
    const { value, problems } = engine.process(object, options);
    return [
      ...checkMetadata(value, kind.scope),
      ...problems,
      ...(scale === undefined ? [] : checkScaleValues(value, scale)),
    ];
  };
  const complete = (object: unknown): KubeObject => {
    const stored = engine.applyDefaults(engine.prune(object).value);
    if (!isOfKind(stored)) throw new InvalidObjectError(describe(object, kind.kind), checkKind(object));
    // Pruning and defaulting share unchanged parts with the argument; the caller gets an object of its own.
    return deepClone(stored);
  };

  return {
    ...kind,
    version: name,
    apiVersion,
    schema,
    served: definition.served !== false,
    storage: definition.storage === true,
    deprecated: definition.deprecated === true,
    ...(deprecationWarning !== undefined && { deprecationWarning }),
    hasStatus: hasStatus(definition),
    ...(scale !== undefined && { scale }),
    conditions: conditionReasons(definition.conditions),
    columns: printerColumns(definition, schema),
    selectableFields: definition.selectableFields ?? [],
    make: (object) => ({ apiVersion, kind: kind.kind, ...object }),
    check: (object, options) => check(object, options?.old),
    default: complete,
    parse: (object) => {
      const problems = check(object, undefined);
      if (problems.length > 0) throw new InvalidObjectError(describe(object, kind.kind), problems);
      return complete(object);
    },
  };
}

function describe(object: unknown, kind: string): string {
  const metadata = isRecord(object) ? ownValue(object, "metadata") : undefined;
  const name = isRecord(metadata) ? ownValue(metadata, "name") : undefined;
  return typeof name === "string" ? `${kind} ${name}` : kind;
}
