import type { Case } from "./case.ts";
import { accessCases } from "./lists/access.ts";
import { applyCases } from "./lists/applies.ts";
import { certificateCases } from "./lists/certificates.ts";
import { changeCases } from "./lists/changes.ts";
import { customCases } from "./lists/custom.ts";
import { deletionCases } from "./lists/deletions.ts";
import { formCases } from "./lists/forms.ts";
import { healthCases } from "./lists/health.ts";
import { kindCases } from "./lists/kinds.ts";
import { listCases } from "./lists/lists.ts";
import { objectCases } from "./lists/objects.ts";
import { patchCases } from "./lists/patches.ts";
import { policyCases } from "./lists/policies.ts";
import { requestCases } from "./lists/requests.ts";
import { servingCases } from "./lists/serving.ts";
import { unprunedCases } from "./lists/unpruned.ts";
import { watchCases } from "./lists/watches.ts";
import { wireCases } from "./lists/wire.ts";

/** All cases by subject. */
export const allCases: ReadonlyMap<string, readonly Case[]> = new Map([
  ["requests", requestCases],
  ["objects", objectCases],
  ["lists", listCases],
  ["watches", watchCases],
  ["patches", patchCases],
  ["apply", applyCases],
  ["deletions", deletionCases],
  ["kinds", kindCases],
  ["changes", changeCases],
  ["custom resources", customCases],
  ["hidden fields", unprunedCases],
  ["access", accessCases],
  ["certificates", certificateCases],
  ["forms", formCases],
  ["policies", policyCases],
  ["serving", servingCases],
  ["health", healthCases],
  ["protobuf", wireCases],
]);
