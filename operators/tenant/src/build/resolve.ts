// The only place of the builders that reads a tenant: what it leaves out is filled in here.

import type { DeepReadonly } from "@homeostat/core";
import { namespaceOf } from "../api/names.ts";
import type { Tenant } from "../api/tenant.ts";
import { networkOf } from "./resolve-network.ts";
import { redisOf } from "./resolve-redis.ts";
import type { ResolveSettings } from "./resolve-settings.ts";
import { quotaOf } from "./resolve-resources.ts";
import { serverOf } from "./resolve-server.ts";
import type { Wanted } from "./resolved-tenant.ts";

/**
 * What is wanted of a tenant, said in full. The tenant must have passed the structural rules.
 *
 * @param namespace where the tenant lives; by its name when left out.
 */
export function resolve(tenant: DeepReadonly<Tenant>, settings: ResolveSettings, namespace?: string): Wanted {
  const { spec } = tenant;
  const name = tenant.metadata.name ?? "";
  const place = { name, namespace: namespace ?? namespaceOf(name) };
  const { labels = {}, annotations = {} } = spec.namespaceMetadata ?? {};
  const {
    enforce = "restricted",
    audit = "restricted",
    warn = "restricted",
    version = "latest",
  } = spec.podSecurity ?? {};
  const { admins = [], editors = [], viewers = [] } = spec.access ?? {};
  return {
    ...place,
    namespaceMetadata: { labels, annotations },
    podSecurity: { enforce, audit, warn, version },
    quota: quotaOf(spec),
    network: networkOf(spec, settings),
    access: { admin: admins, editor: editors, viewer: viewers },
    redis: redisOf(spec, settings, place),
    server: serverOf(spec, settings),
    isHibernated: spec.hibernation?.enabled ?? false,
  };
}
