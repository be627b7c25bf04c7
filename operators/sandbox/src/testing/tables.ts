// Tables of valid and invalid objects, and of baselines with their forks, for suites on a real API server.

export { forkCases, forkInput } from "./fork-cases.ts";
export type { SchemaCase } from "./schema-case.ts";
export { schemaCases, updateCases } from "./schema-cases.ts";
