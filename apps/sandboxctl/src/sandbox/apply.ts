import { Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import type { CommandInput } from "../command/input.ts";
import type { applyFlags, filenameFlag } from "../command/shared-flags.ts";
import { applyObjects } from "../objects/apply-objects.ts";
import { waitForSandbox } from "./readiness.ts";

/** Applies the Sandboxes of files. */
export async function applySandboxes(
  input: CommandInput<typeof applyFlags & typeof filenameFlag>,
  context: CommandContext,
): Promise<number> {
  return applyObjects({ type: Sandbox, word: "sandbox", wait: waitForSandbox }, input, context);
}
