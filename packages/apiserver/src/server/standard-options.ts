import { type CustomResourcesExtensionOptions, withCustomResources } from "../crd/extension.ts";
import { type StandardOptions, type StandardServer, standardServer } from "./standard-server.ts";
import type { ApiServerOptions, ServerTools } from "./api-server.ts";
import { tokenObjects } from "./token-objects.ts";

/** What a server with everything may be told. */
export interface WholeServerOptions
  extends Omit<ApiServerOptions, "admission" | "special">, StandardOptions, CustomResourcesExtensionOptions {}

/**
 * Options of a server with everything that a real one has: admission, special endpoints, custom resources.
 *
 * They are for one server; ask again for another.
 *
 * @example
 * const server = new ApiServer(standardOptions());
 */
export function standardOptions(options: WholeServerOptions = {}): ApiServerOptions {
  const { resolveService, nodes, hasControllers, disabledSteps, onError, extensions = [], ...rest } = options;
  const own = {
    ...(resolveService === undefined ? {} : { resolveService }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(hasControllers === undefined ? {} : { hasControllers }),
    ...(disabledSteps === undefined ? {} : { disabledSteps }),
  };
  let made: StandardServer | undefined;
  const standard = (tools: ServerTools): StandardServer =>
    (made ??= standardServer(tools, tokenObjects(tools.registry), own));
  return {
    ...rest,
    ...(resolveService === undefined ? {} : { resolveService }),
    admission: (tools) => standard(tools).steps,
    special: (tools) => standard(tools).endpoints,
    extensions: [
      standard,
      withCustomResources({
        ...(resolveService === undefined ? {} : { resolveService }),
        ...(onError === undefined ? {} : { onError }),
      }),
      ...extensions,
    ],
  };
}
