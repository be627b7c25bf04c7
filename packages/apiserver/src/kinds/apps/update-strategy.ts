// What the update strategies of the kinds in `apps` share.

import type { JsonRecord } from "@homeostat/core";
import { textAt } from "../../tables/read.ts";
import type { DefaultRule } from "../shared/defaults.ts";
import type { Field } from "../shared/field.ts";
import { fill, partOf } from "../shared/fill.ts";

/** A strategy as Go prints what the server holds: every field, by the name it has there. */
export function shownStrategy(strategy: Field, fields: Readonly<Record<string, null | number>>): unknown {
  const rolling = strategy.at("rollingUpdate");
  const shown = Object.entries(fields).map(([name, none]) => {
    return [name.charAt(0).toUpperCase() + name.slice(1), rolling.at(name).value ?? none];
  });
  return { Type: strategy.at("type").text, RollingUpdate: rolling.isSet ? Object.fromEntries(shown) : null };
}

export function defaultRollingUpdate(defaults: JsonRecord): DefaultRule {
  return (value) => {
    fill(value, { type: "RollingUpdate" });
    if (textAt(value, "type") === "RollingUpdate") fill(partOf(value, "rollingUpdate"), defaults);
  };
}

export const defaultHistory = { revisionHistoryLimit: 10 };
