import { redisImage, serverImage } from "./images.ts";

/** What the operator is configured with, as far as tenants are concerned. */
export interface TenantSettings {
  /** Where the operator lives: the only foreign namespace that a tenant's password may come from. */
  readonly operatorNamespace: string;
  /** The image of servers that name none. */
  readonly defaultServerImage: string;
  /** The image of Redis where none is named. */
  readonly defaultRedisImage: string;
  /** What servers are told in `AUTH_URL`; undefined for nothing. */
  readonly authServiceUrl: string | undefined;
  /** Where that service is; undefined when servers need not be let there. */
  readonly authServiceNamespace: string | undefined;
  readonly maxConcurrentReconciles: number;
  /** How long until a tenant is looked at again when nothing happens. */
  readonly resyncIntervalMs: number;
}

/** What holds where nobody says otherwise. */
export const defaultSettings: TenantSettings = {
  operatorNamespace: "neurallog-system",
  defaultServerImage: serverImage,
  defaultRedisImage: redisImage,
  authServiceUrl: undefined,
  authServiceNamespace: undefined,
  maxConcurrentReconciles: 4,
  resyncIntervalMs: 300_000,
};
