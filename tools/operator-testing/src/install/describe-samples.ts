import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { readYaml } from "@homeostat/apiserver/internal";
import { ApiError, isRecord, parseApiVersion } from "@homeostat/core";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import type { Manifest, Operator } from "@homeostat/operator";
import { type InstalledOperator, installOperator } from "./installed-operator.ts";

/** Input of an operator for the test of its samples. */
export interface SampleSuite {
  readonly operator: Operator;
  /** The namespace that the operator is installed in. */
  readonly namespace: string;
  /** Folder with the sample YAML files. */
  readonly folder: URL;
}

/**
 * Declares a test per sample: the installed operator and the API server accept it with strict field validation. A sample whose
 * name starts with `invalid` must be rejected for exactly the reasons that the indented lines of its comment give.
 */
export function describeSamples({ operator, namespace, folder }: SampleSuite): void {
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));

  describe("the samples", () => {
    let installed: InstalledOperator;
    before(async () => {
      installed = await installOperator(operator, namespace);
    });
    after(() => installed[Symbol.asyncDispose]());

    it("include a valid one", () => {
      assert.ok(files.some((file) => !file.startsWith("invalid")));
    });

    for (const file of files) {
      const text = readFileSync(new URL(file, folder), "utf8");

      if (file.startsWith("invalid")) {
        it(`include ${file}, which is rejected for exactly the reasons in its comment`, async () => {
          const reasons = rejectionReasons(text);
          const error = await create(installed, text).then(
            () => undefined,
            (cause: unknown) => cause,
          );

          assert.ok(reasons.length > 0, "its comment gives no reason");
          assert.ok(error instanceof ApiError, `it was not rejected: ${String(error)}`);
          assert.deepEqual(
            reasons.filter((reason) => !error.message.includes(reason)),
            [],
            error.message,
          );
          assert.equal(error.causes.length, reasons.length, `its comment does not give all reasons: ${error.message}`);
        });
      } else {
        it(`include ${file}, which is accepted`, () => create(installed, text));
      }
    }
  });
}

/** Returns the rejection reasons in a sample: the lines of its comment that start with three spaces. */
function rejectionReasons(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("#   "))
    .map((line) => line.slice(4));
}

async function create({ client }: InstalledOperator, text: string): Promise<void> {
  for (const document of text.split(/^---$/m)) {
    const { value } = readYaml(document);
    assert.ok(isManifest(value), `not a Kubernetes object:\n${document}`);
    const { group, version } = parseApiVersion(value.apiVersion);
    const type = await client.mapper.byKind({ group, version, kind: value.kind });
    assert.ok(type, `the cluster does not serve kind ${value.kind} in ${value.apiVersion}`);
    const { namespace = "default" } = value.metadata;
    if (type.scope === "Namespaced" && (await client.get(Namespace, { name: namespace })) === undefined)
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const metadata = type.scope === "Namespaced" ? { ...value.metadata, namespace } : value.metadata;
    await client.create(type, { ...value, metadata }, { fieldValidation: "Strict" });
  }
}

function isManifest(value: unknown): value is Manifest {
  return isRecord(value) && typeof value["kind"] === "string" && isRecord(value["metadata"]);
}
