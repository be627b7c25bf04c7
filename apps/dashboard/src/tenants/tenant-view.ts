import { formatKey, type KubeObject, type ResourceType, type Stored } from "@homeostat/core";
import { ResourceQuota } from "@homeostat/kubernetes/core/v1";
import type { Cache, Informer } from "@homeostat/runtime";
import type { ObjectRef } from "../api/types.ts";
import type { TenantView } from "../api/tenants.ts";
import { recordIn, textIn } from "../health/fields.ts";
import { batched, mayWatch, runWithCache, type RunView, type ViewContext, type ViewMessage } from "../views/view.ts";
import { quotaRows } from "./quota.ts";

/** Options of {@link tenantView}. */
export interface TenantOptions {
  readonly type: ResourceType;
  readonly ref: ObjectRef;
}

/** Returns the view of the use of a tenant's quota: `part` with all of it after each change. */
export function tenantView(context: ViewContext, options: TenantOptions): RunView {
  return (emit, signal) =>
    runWithCache(context, { emit, signal }, (cache) =>
      new LiveTenant(cache, context, { ...options, emit, signal }).start(),
    );
}

interface LiveOptions extends TenantOptions {
  readonly emit: (message: ViewMessage) => void;
  readonly signal: AbortSignal;
}

class LiveTenant {
  readonly #cache: Cache;
  readonly #context: ViewContext;
  readonly #options: LiveOptions;
  readonly #soon: () => void;
  #quotas: Informer<ResourceQuota> | undefined;
  #namespace = "";
  #note = "";
  #lastText = "";

  constructor(cache: Cache, context: ViewContext, options: LiveOptions) {
    this.#cache = cache;
    this.#context = context;
    this.#options = options;
    this.#soon = batched(context.clock, () => this.#send());
  }

  async start(): Promise<void> {
    const { type, ref, signal } = this.#options;
    const tenants = this.#cache.informer(type, { fields: `metadata.name=${ref.name}` });
    await tenants.ready(signal);
    const follow = async (): Promise<void> => this.#open(tenants.get(formatKey({ name: ref.name })));
    await follow();
    // A failed review of access is repeated with the next change of the tenant.
    tenants.subscribe(() => void follow().catch(() => undefined));
    this.#send();
  }

  /** Opens the quotas of the tenant's namespace, once it is known. */
  async #open(tenant: Stored<KubeObject> | undefined): Promise<void> {
    const namespace = textIn(recordIn(tenant, "status"), "namespace");
    if (namespace === "" || namespace === this.#namespace) return;
    const { signal } = this.#options;
    if (!(await mayWatch(this.#context, { type: ResourceQuota, namespace }, signal))) {
      this.#note = `You are not allowed to list and watch resourcequotas in namespace ${namespace}.`;
      this.#soon();
      return;
    }
    this.#namespace = namespace;
    this.#note = "";
    this.#quotas?.[Symbol.dispose]();
    this.#quotas = this.#cache.informer(ResourceQuota, { namespace });
    await this.#quotas.ready(signal);
    this.#quotas.subscribe(this.#soon);
    this.#soon();
  }

  #send(): void {
    const { emit, signal } = this.#options;
    if (signal.aborted) return;
    const data: TenantView = { quota: quotaRows(this.#quotas?.list() ?? []), note: this.#note };
    const text = JSON.stringify(data);
    if (text === this.#lastText) return;
    this.#lastText = text;
    emit({ event: "part", data });
  }
}
