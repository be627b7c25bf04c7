// `@homeostat/chronik-operator/rehearsal`: rehearsals of changes of ChronikClusters on an embedded cluster.

export { chronikRehearsal, type ChronikRehearsal, type ChronikRehearsalOptions } from "./rehearsal.ts";
export type { ChronikStory } from "./story.ts";
