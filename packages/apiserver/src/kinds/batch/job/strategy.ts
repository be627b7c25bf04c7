import { quote } from "@homeostat/cel";
import { valueAt } from "../../../values/fields.ts";
import { fieldText, nameField, namespaceField } from "../../selectors/selectable-fields.ts";
import { templateWarnings } from "../../pod-templates/template-warnings.ts";
import type { KindStrategy } from "../../strategy.ts";
import { jobDefaults } from "./defaults.ts";
import { prepareNewJob } from "./prepare.ts";
import { jobCells } from "./table.ts";
import { checkJobUpdate } from "./update.ts";
import { checkChangedJob, checkJob } from "./validation.ts";

/** Jobs: the server generates a selector that only the Job's own pods match. */
export const jobStrategy: KindStrategy = {
  group: "batch",
  plural: "jobs",
  hasGeneration: true,
  defaults: jobDefaults,
  prepareForCreate: prepareNewJob,
  validate: checkJob,
  validateChanged: checkChangedJob,
  validateUpdate: checkJobUpdate,
  warnings: templateWarnings,
  orphanWarning:
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  podTemplatePath: ["spec", "template"],
  table: { cells: jobCells },
  fieldSelectors: {
    fields: new Map([
      nameField,
      namespaceField,
      ["status.successful", (job) => fieldText(valueAt(job, "status", "succeeded")) || "0"],
    ]),
    refusal: (field) => `field label ${quote(field)} not supported for Job`,
  },
};
