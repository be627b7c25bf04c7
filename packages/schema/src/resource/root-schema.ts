import type { Field, Fields } from "../builder/field.ts";
import { addFields } from "../builder/object.ts";
import { start, withSchema, type State } from "../builder/state.ts";
import type { Schema } from "../structural/schema.ts";
import { completeDefaults } from "./complete-defaults.ts";
import { conditionsField } from "./conditions.ts";
import type { Part, VersionDefinition } from "./definition.ts";

/** The schema of whole objects of a version: its parts, the three fields every object has, and the rules on them. */
export function rootSchema(definition: VersionDefinition): Schema {
  const parts: Fields = {
    ...(definition.spec !== undefined && { spec: explained(asField(definition.spec, "required"), "What is wanted.") }),
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

/** Whether objects of a version have a status, which is a subresource then. */
export function hasStatus(definition: VersionDefinition): boolean {
  return definition.status !== undefined || definition.conditions !== undefined;
}

function statusField(definition: VersionDefinition): Field {
  const status = explained(asField(definition.status ?? {}, "optional"), "What was found and done about it.");
  return definition.conditions === undefined ? status : addFields(status, { conditions: conditionsField() });
}

function asField(part: Part, presence: "required" | "optional"): State {
  return isField(part) ? part : { ...addFields(start({ type: "object" }), part), presence };
}

/** With words for `kubectl explain`, which has nothing to say about a part that is not described. */
function explained(part: State, description: string): State {
  return part.schema.description === undefined ? withSchema(part, { description }) : part;
}

// A record of fields may hold a field called `presence`, but never a text of that name.
function isField(part: Part): part is Field {
  return typeof part["presence"] === "string";
}
