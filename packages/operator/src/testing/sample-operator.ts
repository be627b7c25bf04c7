// An operator with kinds, conversions, controllers, webhooks and flags of every type, for the tests of this package.

import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { applied, type Controller, defineController, watched } from "@homeostat/runtime";
import { type Conversion, defineConversion, defineResource, type Resource, s } from "@homeostat/schema";
import { type AdmissionWebhook, mutatingWebhook, validatingWebhook } from "@homeostat/webhook";
import { defineOperator } from "../definition/define-operator.ts";
import type { Operator } from "../definition/operator.ts";
import { flag } from "../flags/flag.ts";

const Order = defineResource({
  group: "shop.example.com",
  kind: "Order",
  versions: {
    v1: { spec: { count: s.int() }, status: { ready: s.bool().optional() } },
    v2: {
      storage: true,
      spec: { amount: s.object({ count: s.int(), unit: s.string().default("piece") }) },
      status: { ready: s.bool().optional() },
    },
  },
});

const orderConversion = defineConversion(Order, {
  hub: "v2",
  spokes: {
    v1: {
      toHub: ({ spec, status }) => ({ spec: { amount: { count: spec.count } }, ...(status && { status }) }),
      fromHub: ({ spec, status }) => ({ spec: { count: spec.amount.count }, ...(status && { status }) }),
    },
  },
});

const Shop = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Shop",
  scope: "Cluster",
  spec: { title: s.string() },
});

const orders = defineController({
  for: Order,
  owns: { web: applied(Deployment, { deletes: true }) },
  watches: { settings: watched(ConfigMap) },
  async reconcile() {},
});

const shops = defineController({ for: Shop, async reconcile() {} });

const gate = validatingWebhook({
  for: Order,
  *validate({ spec }) {
    if (spec.amount.count < 0) yield { field: "spec.amount.count", message: "is negative" };
  },
});

const defaulter = mutatingWebhook({ for: Order, mutate: (order) => order });

export const sample: Operator = defineOperator({
  name: "shop-operator",
  version: "1.2.0",
  description: "Manages orders.",
  image: "registry.example.com:5000/shop/operator:1.2.0",
  resources: [Order, Shop],
  conversions: [orderConversion],
  flags: {
    maxOrders: flag.integer({ default: 1_000_000, min: 1, help: "maximum number of orders" }),
    pollInterval: flag.duration({ default: 30_000, help: "how often to poll the warehouse" }),
    regions: flag.list({ default: ["north"], help: "regions that goods are shipped to" }),
    isStrict: flag.boolean({ default: false, help: "refuse orders that would only cause a warning" }),
  },
  controllers: [orders, shops],
  webhooks: ({ isStrict }) => (isStrict ? [gate, defaulter] : [gate]),
});

/** The parts of the sample, for tests that define other operators from them. */
export const parts: {
  readonly Order: Resource;
  readonly Shop: Resource;
  readonly orderConversion: Conversion;
  readonly orders: Controller;
  readonly shops: Controller;
  readonly gate: AdmissionWebhook;
} = { Order, Shop, orderConversion, orders, shops, gate };
