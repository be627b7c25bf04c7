import { HomeostatError } from "homeostat";

/** Thrown when another process has recorded another routing key for the object since the cache read it. Nothing was changed. */
export class RoutingKeyRecordedError extends HomeostatError {
  readonly code = "ROUTING_KEY_RECORDED";

  constructor(object: string) {
    super(`Another process has recorded a routing key for ${object}. The operator reconciles it again with that key.`);
  }

  override get retryable(): boolean {
    return true;
  }
}
