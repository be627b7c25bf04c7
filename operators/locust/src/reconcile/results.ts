import { AlreadyExistsError, ForbiddenError } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { resultsName } from "../api/names.ts";
import { metadataFor } from "../build/objects.ts";
import { resultFiles } from "../build/result-files.ts";
import { resultAt } from "./finish.ts";
import type { Pass } from "./scope.ts";
import type { LiveView } from "../live/live-stats.ts";

/**
 * Writes down the numbers of a run that is over, once: into the status, and into a ConfigMap where the test asks for one.
 *
 * From then on they outlive the master, this process and the Jobs.
 */
export async function keepResults(pass: Pass, view: LiveView | undefined): Promise<void> {
  const { result } = pass.status;
  if (view?.snapshot === undefined || result?.final === true) return;
  if (result !== undefined && !view.isFinal) return;
  const kept = resultAt(pass, { outcome: result?.outcome ?? "Unknown" });
  const resultsConfigMap = await store(pass, view);
  pass.say({
    fields: { result: { ...kept, ...(resultsConfigMap === undefined ? {} : { resultsConfigMap }) } },
    conditions: {},
  });
  await pass.save("Failed to update status from Jobs");
}

/** Keeps the tables in a ConfigMap. What cannot be kept does not change how the test ends. */
async function store(pass: Pass, view: LiveView): Promise<string | undefined> {
  if (view.snapshot === undefined || pass.test.spec.results?.store !== "ConfigMap") return undefined;
  const { client, key, name, signal, log } = pass.context;
  const files = await pass.parts.live.files(key, signal);
  const called = resultsName(name, pass.run);
  try {
    await client.create(
      ConfigMap,
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: metadataFor(pass.plan, { name: called, role: "master" }),
        data: resultFiles(view.snapshot, files),
      },
      { signal },
    );
    return called;
  } catch (error) {
    // Made by a pass that was interrupted after it.
    if (error instanceof AlreadyExistsError) return called;
    if (!(error instanceof ForbiddenError)) throw error;
    log.warn("The results could not be kept in a ConfigMap", { error });
    return undefined;
  }
}
