// Tables of valid and invalid objects, baselines with their forks, and a mesh, for suites on a real API server.

export { FakeMesh } from "./fake-mesh.ts";
export { forkCases, forkInput } from "./fork-cases.ts";
export type { SchemaCase } from "./schema-case.ts";
export { schemaCases, updateCases } from "./schema-cases.ts";
