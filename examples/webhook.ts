// Calls a validating and a mutating webhook as the API server would, without a server.
//
// Prints:
//   denied: spec.replicas: 12 replicas require the team plan
//   warning: spec.image: the tag latest may change at any time
//   patch: [{"op":"add","path":"/metadata/labels","value":{"team":"shop"}}]

import { defineResource, s } from "@homeostat/schema";
import { handleAdmissionReview, mutatingWebhook, validatingWebhook } from "@homeostat/webhook";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { image: s.string(), plan: s.enum("free", "team").default("free"), replicas: s.int().default(1) },
});

// region: validate
const validation = validatingWebhook({
  for: Site,
  *validate({ spec }) {
    if (spec.plan === "free" && spec.replicas > 3) {
      yield { field: "spec.replicas", message: `${spec.replicas} replicas require the team plan` };
    }
    if (spec.image.endsWith(":latest")) {
      yield { field: "spec.image", message: "the tag latest may change at any time", warn: true };
    }
  },
});
// endregion

// region: mutate
const labels = mutatingWebhook({
  for: Site,
  mutate: (site) => ({ ...site, metadata: { ...site.metadata, labels: { team: "shop", ...site.metadata.labels } } }),
});
// endregion

// The API server fills in defaults before it calls webhooks.
const made = Site.make({ metadata: { name: "web", namespace: "shop" }, spec: { image: "web:latest", replicas: 12 } });
const site = Site.default(made);

// region: answer
const { signal } = new AbortController();
const denied = JSON.parse((await handleAdmissionReview(validation, reviewOf(site), { signal })).body).response;
console.log(`denied: ${denied.status.message}`);
console.log(`warning: ${denied.warnings[0]}`);
// endregion
const patched = JSON.parse((await handleAdmissionReview(labels, reviewOf(site), { signal })).body).response;
console.log(`patch: ${Buffer.from(patched.patch, "base64").toString()}`);

/** Builds the AdmissionReview that the API server sends before it creates an object. */
function reviewOf(object: unknown): Buffer {
  const request = {
    uid: "6f9e1c1e-0c5e-4c1e-9d5e-0c5e4c1e9d5e",
    kind: { group: "example.com", version: "v1", kind: "Site" },
    resource: { group: "example.com", version: "v1", resource: "sites" },
    operation: "CREATE",
    namespace: "shop",
    name: "web",
    userInfo: { username: "jane" },
    object,
  };
  return Buffer.from(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request }));
}
