import { ConflictError, type KubeObject, type ResourceType } from "@homeostat/core";
import { fieldManager } from "./field-manager.ts";
import { readObject, type ReadOptions } from "./read-object.ts";

const attemptsMax = 8;

/**
 * Changes the spec of an object by a function of its current spec. Retries if another client, such as the operator, has written the object meanwhile;
 * the resource version prevents concurrent changes from overwriting each other.
 */
export async function changeSpec<T extends KubeObject>(
  type: ResourceType<T>,
  options: ReadOptions,
  change: (object: T) => Promise<object> | object,
): Promise<T> {
  const { client, namespace, name, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    const object = await readObject(type, options);
    const spec = await change(object);
    const { resourceVersion = "" } = object.metadata;
    try {
      const untyped: ResourceType = type;
      const merge = { metadata: { resourceVersion }, spec };
      await client.patch(untyped, { namespace, name }, { merge }, { signal, fieldManager });
      return await readObject(type, options);
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt >= attemptsMax) throw error;
    }
  }
}
