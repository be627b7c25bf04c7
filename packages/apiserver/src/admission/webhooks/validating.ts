import type { AdmissionRequest, AdmissionStep } from "../admission.ts";
import type { ServedKind } from "../../resources/served-kind.ts";
import { isExempt, objectsInVersion, WebhookCaller, type WebhookOptions } from "./dispatch.ts";
import { type Hook, Hooks } from "./hook.ts";
import { deniedStatus } from "./review.ts";

/**
 * Returns the step that calls all matching validating webhooks concurrently. If several refuse, the first response
 * decides.
 */
export function validatingWebhooks(options: WebhookOptions): AdmissionStep {
  const hooks = new Hooks(options.reader, "validating");
  const caller = new WebhookCaller(options);
  return {
    name: "ValidatingAdmissionWebhook",
    validate: (request) => {
      const all = hooks.all();
      return all.length === 0 || isExempt(request) ? undefined : callAll(request, all, caller);
    },
  };
}

async function callAll(request: AdmissionRequest, hooks: readonly Hook[], caller: WebhookCaller): Promise<void> {
  const matching: { readonly hook: Hook; readonly kind: ServedKind }[] = [];
  for (const hook of hooks) {
    const kind = await caller.matchingKind(hook, request);
    if (kind !== undefined) matching.push({ hook, kind });
  }
  const refusals: unknown[] = [];
  await Promise.all(
    matching.map(async ({ hook, kind }) => {
      try {
        const response = await caller.call(hook, {
          request,
          kind,
          mayPatch: false,
          ...(await objectsInVersion(request, kind)),
        });
        if (response !== undefined && !response.isAllowed) throw deniedStatus(hook.name, response.result);
      } catch (error) {
        refusals.push(error);
      }
    }),
  );
  if (refusals.length > 0) throw refusals[0];
}
