// A small operator that uses every feature, so that each of its permissions is needed.

import { ConfigMap, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import {
  applied,
  created,
  defineController,
  defineConversion,
  defineOperator,
  defineResource,
  flag,
  type Operator,
  s,
  validatingWebhook,
  watched,
} from "homeostat";

/** The primary kind of the controller. */
export const Site = defineResource({
  group: "operator.e2e.example.com",
  version: "v1",
  kind: "Site",
  spec: { color: s.string(), extras: s.int().default(0) },
  status: { color: s.string().optional() },
  conditions: ["Ready"],
});

/** Has versions and a webhook, but no objects: the API server of this suite cannot reach Services. */
const Guard = defineResource({
  group: "operator.e2e.example.com",
  kind: "Guard",
  versions: { v1: { spec: { old: s.string() } }, v2: { storage: true, spec: { recent: s.string() } } },
});

const conversion = defineConversion(Guard, {
  hub: "v2",
  spokes: {
    v1: {
      toHub: ({ spec }) => ({ spec: { recent: spec.old } }),
      fromHub: ({ spec }) => ({ spec: { old: spec.recent } }),
    },
  },
});

const gate = validatingWebhook({ for: Guard, *validate() {} });

const sites = defineController({
  for: Site,
  owns: { pages: applied(ConfigMap, { deletes: true }), account: created(ServiceAccount) },
  watches: { services: watched(Service) },
  finalizer: "operator.e2e.example.com/cleanup",
  async reconcile({ object, owned, setStatus, setCondition, event }) {
    const { name } = object.metadata;
    const { color, extras } = object.spec;
    event({ reason: "Painting", note: `painting ${name}` });
    await owned.account.create({ metadata: { name } });
    for (let i = 0; i <= extras; i += 1) {
      await owned.pages.apply({ metadata: { name: `${name}-${i}` }, data: { color } });
    }
    await owned.pages.prune();
    setStatus({ color });
    setCondition("Ready", { status: true, reason: "Painted" });
  },
  cleanup: async () => "done",
});

/** The operator of the suite. */
// region: operator
export const siteOperator: Operator = defineOperator({
  name: "site-operator",
  version: "0.1.0",
  resources: [Site, Guard],
  conversions: [conversion],
  flags: {
    maxPages: flag.integer({ default: 1_000_000, min: 1, help: "maximum number of pages per site" }),
    pause: flag.duration({ default: 30_000, help: "pause between two pages" }),
    words: flag.list({ default: ["north"], help: "content of the pages" }),
    isLoud: flag.boolean({ default: false, help: "say it loudly" }),
  },
  controllers: [sites],
  webhooks: [gate],
});
// endregion
