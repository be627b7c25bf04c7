import type { DeepReadonly, Random, Stored } from "@homeostat/core";
import type { EventNote, ReconcileResult } from "@homeostat/runtime";
import { type ConditionType, conditionTypes } from "../api/conditions.ts";
import { namespaceOf } from "../api/names.ts";
import type { Phase, Tenant, TenantStatus } from "../api/tenant.ts";
import type { ApplyTools } from "../apply/wish.ts";
import type { SecureBytes } from "../decide/password.ts";
import type { TenantMetrics } from "../metrics/tenant-metrics.ts";
import type { TenantSettings } from "../settings/settings.ts";
import type { Occasion, StatusPlan } from "../status/derive.ts";
import type { Context } from "./watches.ts";
import type { Told } from "./event-deduplicator.ts";

/** What all passes have in common. */
export interface Parts {
  readonly settings: TenantSettings;
  readonly metrics: TenantMetrics;
  readonly told: Told;
  readonly random: Random;
  /** Where passwords come from. */
  readonly secureBytes: SecureBytes;
}

/** What comes after a pass. */
export type Next = ReconcileResult | undefined;

/** One look at one tenant: what it says, and what is to be said about it. */
export class Pass {
  readonly context: Context;
  readonly parts: Parts;
  readonly now: number;
  readonly tenant: Stored<Tenant>;

  constructor(context: Context, parts: Parts) {
    this.context = context;
    this.parts = parts;
    this.now = context.clock.now();
    this.tenant = context.object;
  }

  get name(): string {
    return this.context.name;
  }

  get uid(): string {
    return this.tenant.metadata.uid;
  }

  get generation(): number {
    return this.tenant.metadata.generation ?? 0;
  }

  /** What the tenant said when the pass began. */
  get before(): DeepReadonly<TenantStatus> {
    return this.tenant.status ?? {};
  }

  /** The namespace that the tenant has, or is to have. */
  get namespace(): string {
    return this.before.namespace ?? namespaceOf(this.name);
  }

  get occasion(): Occasion {
    const { name, generation, now, before } = this;
    return { name, generation, now, before };
  }

  get applyTools(): ApplyTools {
    const { client, signal } = this.context;
    return { tenant: this.tenant, client, signal };
  }

  /** A condition as it was when the pass began. */
  condition(type: ConditionType): NonNullable<DeepReadonly<TenantStatus>["conditions"]>[number] | undefined {
    return this.before.conditions?.find((condition) => condition.type === type);
  }

  /** Says something about the status, which is written at the end of the pass. */
  say({ fields, conditions }: StatusPlan): void {
    const { setStatus, setCondition, removeCondition } = this.context;
    setStatus(fields);
    for (const type of conditionTypes) {
      if (!Object.hasOwn(conditions, type)) continue;
      const value = conditions[type];
      if (value === undefined) removeCondition(type);
      else setCondition(type, value);
    }
  }

  /** Records an event. */
  event(note: EventNote): void {
    this.context.event(note);
  }

  /** Records an event unless people were told the same for this generation of the tenant. */
  once(note: EventNote): void {
    const { uid, generation } = this;
    if (this.parts.told.isNew({ uid, generation, text: `${note.reason} ${note.note}` })) this.event(note);
  }

  /** Takes note of the phase that the tenant has now, and of the conditions that were written last. */
  phaseIs(phase: Phase): void {
    const { name, uid, generation, before, context } = this;
    const conditions = (context.all.get(context.key)?.status ?? before).conditions ?? [];
    this.parts.metrics.saw({ name, uid, generation, before: before.phase, phase, conditions });
  }
}
