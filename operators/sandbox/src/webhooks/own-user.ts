import type { Client } from "@homeostat/client";
import { NotFoundError } from "@homeostat/core";
import { SelfSubjectReview } from "@homeostat/kubernetes/authentication/v1";

/** A user as the API server knows it. */
export interface OwnUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: string[];
  readonly extra: Record<string, string[]>;
}

/** Returns the user of a client as the API server knows it: quotas and owners are compared by user name. */
export async function readOwnUser(client: Client, signal: AbortSignal): Promise<OwnUser> {
  const none = { username: "", uid: "", groups: [], extra: {} };
  try {
    const review = await client.create(
      SelfSubjectReview,
      { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: {} },
      { signal },
    );
    const { username = "", uid = "", groups = [], extra = {} } = review.status?.userInfo ?? {};
    return { username, uid, groups, extra };
  } catch (error) {
    // API servers before Kubernetes 1.28 do not have the kind.
    if (error instanceof NotFoundError) return none;
    throw error;
  }
}
