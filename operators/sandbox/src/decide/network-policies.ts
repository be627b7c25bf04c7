// NetworkPolicies that may block requests through the proxy of a Service that is taken over.
//
// The operator writes no policies of its own. NetworkPolicies only add permissions: one that admits clients to the proxy, together with one that
// admits the proxy to the baseline, would open the baseline to clients that the user has excluded.

import { type DeepReadonly, labelSelectorFrom, type LabelSelectorObject } from "@homeostat/core";
import type { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { labels } from "../api/identity.ts";
import { proxyName } from "../api/names.ts";

/** Labels of the pods of the proxy. */
const proxyLabels = { [labels.proxy]: "true", app: proxyName };

/**
 * Returns the names of the policies of a namespace that limit which pods may connect to the baseline or to the proxy, sorted. Only the pod labels in
 * the selector of the Service are known, so policies that select by other labels are not found.
 */
export function restrictingPolicies(
  policies: readonly DeepReadonly<NetworkPolicy>[],
  selector: Readonly<Record<string, string>>,
): readonly string[] {
  const restricting = policies.filter(({ spec }) => {
    const { podSelector, policyTypes = ["Ingress"] } = spec ?? {};
    if (!policyTypes.includes("Ingress")) return false;
    const selected = labelSelectorFrom(selectorOf(podSelector));
    return selected.matches(selector) || selected.matches(proxyLabels);
  });
  return restricting.map(({ metadata }) => metadata.name ?? "").toSorted();
}

function selectorOf(given: LabelSelectorObject | undefined): LabelSelectorObject {
  return given ?? {};
}

/** Returns a sentence that names the connections that the policies must allow. */
export function restrictionText(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(", ");
  return (
    `These NetworkPolicies limit connections to the baseline or to the proxy: ${shown}. They must allow clients to connect to pods ` +
    `with the label ${labels.proxy}=true, and those pods to connect to the pods of the Service`
  );
}
