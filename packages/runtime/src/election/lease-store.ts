import type { Lease } from "@homeostat/kubernetes/coordination/v1";

/**
 * Where the one Lease of an election is kept: an API server, or a model of one in tests.
 *
 * Its requests must not pass through the fence of the same election: a standby has to write the Lease to become leader.
 */
export interface LeaseStore {
  /** The Lease as the server holds it now (no cache), or `undefined` when there is none. */
  get(signal: AbortSignal): Promise<Lease | undefined>;
  /** Creates it and returns what was stored. Rejects with `AlreadyExistsError` when there is one. */
  create(lease: Lease, signal: AbortSignal): Promise<Lease>;
  /**
   * Replaces it and returns what was stored. Rejects with `ConflictError` when resource version or UID are not those of
   * the stored one, with `NotFoundError` when it is gone.
   */
  update(lease: Lease, signal: AbortSignal): Promise<Lease>;
}
