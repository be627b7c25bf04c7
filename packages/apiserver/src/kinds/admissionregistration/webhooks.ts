import { dnsSubdomainProblems } from "@homeostat/core";
import type { Field } from "../../validation/field.ts";
import { checkLabelSelector } from "../../validation/label-selector.ts";
import { checkServiceReference, checkUrl, includesKnownReviewVersion } from "../../validation/webhook-client.ts";
import { checkRule } from "./match-rules.ts";
import { checkMatchConditions } from "./policies.ts";

/** Checks a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration. */
export function checkWebhooks(object: Field): void {
  const names = new Set<string>();
  for (const webhook of object.at("webhooks").items()) {
    checkWebhook(webhook);
    checkVersions(webhook.at("admissionReviewVersions"));
    const name = webhook.at("name");
    if (name.text === "") continue;
    if (names.has(name.text)) name.duplicate();
    names.add(name.text);
  }
}

function checkWebhook(webhook: Field): void {
  const name = webhook.at("name");
  if (name.text === "") name.required();
  else {
    const details = dnsSubdomainProblems(name.text);
    name.each(details);
    if (details.length === 0 && name.text.split(".").length < 3) {
      name.invalid("should be a domain with at least three segments separated by dots");
    }
  }
  for (const rule of webhook.at("rules").items()) checkRule(rule);
  webhook.at("failurePolicy").oneOf(["Fail", "Ignore"]);
  webhook.at("matchPolicy").oneOf(["Equivalent", "Exact"]);
  const effects = webhook.at("sideEffects");
  if (!effects.isSet) effects.required("must specify one of None, NoneOnDryRun");
  else effects.oneOf(["None", "NoneOnDryRun"]);
  const timeout = webhook.at("timeoutSeconds");
  if (timeout.number < 1 || timeout.number > 30) timeout.invalid("the timeout value must be between 1 and 30 seconds");
  checkLabelSelector(webhook.at("namespaceSelector"));
  checkLabelSelector(webhook.at("objectSelector"));
  const client = webhook.at("clientConfig");
  const [url, service] = [client.at("url"), client.at("service")];
  if (url.isSet === service.isSet) client.required("exactly one of url or service is required");
  else if (url.isSet) checkUrl(url);
  else checkServiceReference(service);
  if (webhook.at("reinvocationPolicy").isSet) webhook.at("reinvocationPolicy").oneOf(["IfNeeded", "Never"]);
  checkMatchConditions(webhook.at("matchConditions"));
}

function checkVersions(versions: Field): void {
  if (versions.length === 0) {
    versions.required("must specify one of v1, v1beta1");
    return;
  }
  if (!includesKnownReviewVersion(versions)) versions.invalid("must include at least one of v1, v1beta1");
}
