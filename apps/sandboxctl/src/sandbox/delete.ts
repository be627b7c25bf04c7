import { UsageError } from "@homeostat/core";
import { annotations, Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import type { deleteFlags, filenameFlag } from "../command/shared-flags.ts";
import { readManifests } from "../manifest/read-manifests.ts";
import { requiredFiles } from "../manifest/read-source.ts";
import { deleteObject } from "../objects/delete-object.ts";
import { fieldManager } from "../objects/field-manager.ts";
import type { forceFlag } from "./flags.ts";
import { missingText } from "./readiness.ts";

type DeleteInput = CommandInput<typeof filenameFlag & typeof deleteFlags & typeof forceFlag>;

/** Deletes a sandbox by name, or those of a file. */
export async function deleteSandboxes(input: DeleteInput, context: CommandContext): Promise<number> {
  const given = input.optionalArgument("NAME");
  const files = input.texts("filename");
  if ((given === undefined) === (files.length === 0)) {
    throw new UsageError("sandboxctl sandbox delete requires NAME or -f FILE. See sandboxctl sandbox delete --help.");
  }
  using cluster = await context.connect(input.connection);
  const { client } = cluster;
  const places =
    given === undefined
      ? (
          await readManifests(
            {
              files: requiredFiles(files, "sandbox delete"),
              variables: new Map(),
              namespace: cluster.namespace,
              kind: "Sandbox",
              words: "sandbox delete",
            },
            context,
          )
        ).map(({ metadata }) => ({ namespace: metadata.namespace ?? cluster.namespace, name: metadata.name ?? "" }))
      : [{ namespace: cluster.namespace, name: given }];
  for (const { namespace, name } of places) {
    await deleteObject(
      Sandbox,
      { ...cluster, namespace },
      {
        name,
        word: "sandbox",
        waitMs: input.isSet("wait") ? (input.durationMs("wait-timeout") ?? 0) : undefined,
        missing: missingText,
        ...(input.isSet("force") && {
          before: async ({ metadata: { uid = "" } }: Sandbox) => {
            const merge = { metadata: { uid, annotations: { [annotations.forceDelete]: "true" } } };
            await client.patch(Sandbox, { namespace, name }, { merge }, { signal: context.signal, fieldManager });
          },
        }),
      },
      context,
    );
    context.print(`sandbox/${name} ${input.isSet("wait") ? "deleted" : "is being deleted"}`);
  }
  return exitCodes.done;
}
