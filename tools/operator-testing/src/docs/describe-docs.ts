import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Resource } from "@homeostat/schema";
import { readRepositoryFile } from "../repository.ts";
import { type FieldReference, fieldReferences } from "./field-references.ts";
import { checkRunbook, eventReasons, metricNames, phasesOf, type RunbookSubjects } from "./runbook.ts";

/** The documentation of an operator. Paths are below the root of the repository. */
export interface OperatorDocs {
  readonly resource: Resource;
  readonly fieldReference: FieldReference;
  readonly runbook: Pick<RunbookSubjects, "conditions"> & {
    readonly page: string;
    /** The source file with the reasons of all events. */
    readonly eventSource: string;
    /** The source file with the names of all metrics. */
    readonly metricSource: string;
    /** The beginning of the names of all metrics: `locust_`. */
    readonly metricPrefix: string;
  };
}

/** Declares the tests of an operator's documentation: its field reference is up to date, and its runbook explains everything. */
export function describeDocs({ resource, fieldReference, runbook }: OperatorDocs): void {
  describe("the field reference", () => {
    it("follows from the definition of the kind", () => {
      const page = readRepositoryFile(fieldReference.page);

      assert.equal(withoutLayout(page), withoutLayout(fieldReference.render()), "run `npm run docs`");
    });

    it("is among those that `npm run docs` writes", async () => {
      const pages = (await fieldReferences()).map(({ page }) => page);

      assert.ok(pages.includes(fieldReference.page), pages.join(", "));
    });
  });

  describe("the runbook", () => {
    it("explains every phase, condition, reason, event and metric, and no metric that does not exist", () => {
      const { page, conditions, eventSource, metricSource, metricPrefix } = runbook;
      const subjects = {
        phases: phasesOf(resource),
        conditions,
        events: eventReasons(readRepositoryFile(eventSource)),
        metrics: metricNames(readRepositoryFile(metricSource), metricPrefix),
      };

      for (const [subject, words] of Object.entries(subjects))
        assert.ok(Object.keys(words).length > 0, `no ${subject} found`);
      assert.deepEqual(checkRunbook(readRepositoryFile(page), subjects, { metricPrefix }), {
        missing: [],
        unknownMetrics: [],
      });
    });
  });
}

/** Removes what the formatter does to tables. */
function withoutLayout(page: string): string {
  return page.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---").trim();
}
