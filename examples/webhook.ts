// Judges and completes objects as an API server would ask for it, without a server.
//
// Prints:
//   refused: admission webhook says spec.replicas: 12 replicas need the plan team
//   warned: spec.image: latest is a different image every day
//   completed: [{"op":"add","path":"/metadata/labels","value":{"team":"shop"}}]

import { defineResource, s } from "@homeostat/schema";
import { answerAdmission, mutatingWebhook, validatingWebhook } from "@homeostat/webhook";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: { image: s.string(), plan: s.enum("free", "team").default("free"), replicas: s.int().default(1) },
});

// region: validate
const gate = validatingWebhook({
  for: Site,
  *validate({ spec }) {
    if (spec.plan === "free" && spec.replicas > 3) {
      yield { field: "spec.replicas", message: `${spec.replicas} replicas need the plan team` };
    }
    if (spec.image.endsWith(":latest")) {
      yield { field: "spec.image", message: "latest is a different image every day", warn: true };
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

// By the time a webhook is asked, the API server has filled in the defaults.
const made = Site.make({ metadata: { name: "web", namespace: "shop" }, spec: { image: "web:latest", replicas: 12 } });
const site = Site.default(made);

// region: answer
const { signal } = new AbortController();
const verdict = JSON.parse((await answerAdmission(gate, reviewOf(site), { signal })).body).response;
console.log(`refused: admission webhook says ${verdict.status.message}`);
console.log(`warned: ${verdict.warnings[0]}`);
// endregion
const completed = JSON.parse((await answerAdmission(labels, reviewOf(site), { signal })).body).response;
console.log(`completed: ${Buffer.from(completed.patch, "base64").toString()}`);

/** What an API server sends before it creates an object. */
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
