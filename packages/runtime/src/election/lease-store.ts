import type { Lease } from "@homeostat/kubernetes/coordination/v1";

/**
 * Storage of the Lease of an election: an API server, or a model of one in tests.
 *
 * Its requests must not pass the fence of the same election: a standby process has to write the Lease to become the leader.
 */
export interface LeaseStore {
  /** Reads the live Lease, not from a cache; undefined when it does not exist. */
  get(signal: AbortSignal): Promise<Lease | undefined>;
  /** Creates the Lease and returns the stored one. Rejects with `AlreadyExistsError` when it exists. */
  create(lease: Lease, signal: AbortSignal): Promise<Lease>;
  /**
   * Replaces the Lease and returns the stored one. Rejects with `ConflictError` when resource version or UID differ from the stored ones, and
   * with `NotFoundError` when it was deleted.
   */
  update(lease: Lease, signal: AbortSignal): Promise<Lease>;
}
