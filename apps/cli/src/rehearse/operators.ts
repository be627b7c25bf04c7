import { chronikRehearsal } from "@homeostat/chronik-operator/rehearsal";
import type { RehearsalDefinition } from "./rehearsal.ts";

/** The operators whose changes can be rehearsed. */
export const rehearsals: readonly [RehearsalDefinition] = [chronikRehearsal];
