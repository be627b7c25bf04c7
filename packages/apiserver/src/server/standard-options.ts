import { type CustomResourcesExtensionOptions, withCustomResources } from "./custom-resources-extension.ts";
import { type StandardOptions, type StandardServer, standardServer } from "./standard-server.ts";
import type { ApiServerOptions, ServerTools } from "./api-server.ts";
import { tokenObjects } from "./token-objects.ts";

/** Options of {@link standardOptions}. */
export interface StandardServerOptions
  extends Omit<ApiServerOptions, "admission" | "special">, StandardOptions, CustomResourcesExtensionOptions {}

/**
 * Returns the options of a complete server: admission, special endpoints and custom resources, as kube-apiserver has
 * them.
 *
 * The result is for one server; call the function again for another.
 *
 * @example
 * const server = new ApiServer(standardOptions());
 */
export function standardOptions(options: StandardServerOptions = {}): ApiServerOptions {
  const { resolveService, nodes, hasControllers, disabledSteps, onError, extensions = [], ...rest } = options;
  const own = {
    ...(resolveService === undefined ? {} : { resolveService }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(hasControllers === undefined ? {} : { hasControllers }),
    ...(disabledSteps === undefined ? {} : { disabledSteps }),
  };
  let created: StandardServer | undefined;
  const standard = (tools: ServerTools): StandardServer =>
    (created ??= standardServer(tools, tokenObjects(tools.registry), own));
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
