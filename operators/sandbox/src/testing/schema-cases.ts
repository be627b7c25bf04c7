// All tables of valid and invalid objects. They run on the embedded API server in unit tests and on a real one in `e2e`.

import { localWorkloadCases, localWorkloadUpdates } from "./local-workload-cases.ts";
import { policyCases, routeTableCases } from "./policy-cases.ts";
import { routeGroupCases, routeGroupUpdates } from "./route-group-cases.ts";
import { sandboxCases, sandboxUpdates } from "./sandbox-cases.ts";
import type { SchemaCase, UpdateCase } from "./schema-case.ts";

export const schemaCases: readonly SchemaCase[] = [
  ...sandboxCases,
  ...routeGroupCases,
  ...localWorkloadCases,
  ...policyCases,
  ...routeTableCases,
];

export const updateCases: readonly UpdateCase[] = [...sandboxUpdates, ...routeGroupUpdates, ...localWorkloadUpdates];

export type { SchemaCase, TestedKind, UpdateCase } from "./schema-case.ts";
