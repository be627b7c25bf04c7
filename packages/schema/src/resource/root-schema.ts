import type { Field, Fields } from "../builder/field.ts";
import { addFields } from "../builder/object.ts";
import { start, withSchema, type State } from "../builder/state.ts";
import type { Schema } from "../structural/schema.ts";
import { completeDefaults } from "./complete-defaults.ts";
import { conditionsField } from "./conditions.ts";
import type { Part, VersionDefinition } from "./definition.ts";

/** Returns the schema of whole objects of a version: `apiVersion`, `kind`, `metadata`, `spec`, `status` and the rules. */
export function rootSchema(definition: VersionDefinition): Schema {
  const parts: Fields = {
    ...(definition.spec !== undefined && { spec: described(asField(definition.spec, "required"), "Desired state.") }),
    ...(hasStatus(definition) && { status: statusField(definition) }),
  };
  const named = withSchema(start({ type: "object" }), {
    ...(definition.description !== undefined && { description: definition.description }),
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: {
        type: "object",
        ...(definition.name !== undefined && { properties: { name: definition.name.schema } }),
      },
    },
    ...(definition.rules !== undefined &&
      definition.rules.length > 0 && { "x-kubernetes-validations": definition.rules }),
  });
  return completeDefaults(addFields(named, parts).schema);
}

/** Reports whether objects of a version have a status. If so, the version has the status subresource. */
export function hasStatus(definition: VersionDefinition): boolean {
  return definition.status !== undefined || definition.conditions !== undefined;
}

function statusField(definition: VersionDefinition): Field {
  const status = described(asField(definition.status ?? {}, "optional"), "Observed state, set by the controller.");
  return definition.conditions === undefined ? status : addFields(status, { conditions: conditionsField() });
}

function asField(part: Part, presence: "required" | "optional"): State {
  return isField(part) ? part : { ...addFields(start({ type: "object" }), part), presence };
}

/** Adds a description if there is none, so that `kubectl explain` shows one. */
function described(part: State, description: string): State {
  return part.schema.description === undefined ? withSchema(part, { description }) : part;
}

// A record of fields may have a field called `presence`, but that is a field and not a string.
function isField(part: Part): part is Field {
  return typeof part["presence"] === "string";
}
