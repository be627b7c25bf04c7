// Values about tenants that the server sends to the page as JSON.

/** The use of one resource of a quota. */
export interface QuotaRow {
  /** Name of the ResourceQuota. */
  readonly quota: string;
  /** `requests.cpu`, `pods`. */
  readonly resource: string;
  readonly used: string;
  readonly hard: string;
  /** Used share. More than 1 if the quota was lowered. */
  readonly ratio: number;
}

/** Data of a tenant beyond its own object. */
export interface TenantView {
  readonly quota: readonly QuotaRow[];
  /** Reason why the quota is not shown; empty if it is. */
  readonly note: string;
}
