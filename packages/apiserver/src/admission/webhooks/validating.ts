import type { AdmissionRequest, AdmissionStep } from "../admission.ts";
import type { ServedKind } from "../../registry/served-kind.ts";
import { isExempt, objectsAs, WebhookCaller, type WebhookOptions } from "./dispatch.ts";
import { type Hook, Hooks } from "./hook.ts";
import { deniedStatus } from "./review.ts";

/** Asks the webhooks of ValidatingWebhookConfigurations, all at once; the first of them that refuses counts. */
export function validatingWebhooks(options: WebhookOptions): AdmissionStep {
  const hooks = new Hooks(options.reader, "validating");
  const caller = new WebhookCaller(options);
  return {
    name: "ValidatingAdmissionWebhook",
    validate: (request) => {
      const all = hooks.all();
      return all.length === 0 || isExempt(request) ? undefined : askAll(request, all, caller);
    },
  };
}

async function askAll(request: AdmissionRequest, hooks: readonly Hook[], caller: WebhookCaller): Promise<void> {
  const wanted: { readonly hook: Hook; readonly kind: ServedKind }[] = [];
  for (const hook of hooks) {
    const kind = await caller.wants(hook, request);
    if (kind !== undefined) wanted.push({ hook, kind });
  }
  const refusals: unknown[] = [];
  await Promise.all(
    wanted.map(async ({ hook, kind }) => {
      try {
        const answer = await caller.ask(hook, { request, kind, mayPatch: false, ...(await objectsAs(request, kind)) });
        if (answer !== undefined && !answer.isAllowed) throw deniedStatus(hook.name, answer.result);
      } catch (error) {
        refusals.push(error);
      }
    }),
  );
  if (refusals.length > 0) throw refusals[0];
}
