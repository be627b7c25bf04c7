import { isStream, type Layer } from "@homeostat/client";
import { traceHeaders, type Tracing } from "./tracing.ts";

/**
 * Returns a layer that records each request of a reconcile as a span, such as `k8s patch services`, with the status of the response.
 *
 * The span includes the waits of retries and rate limits and ends with the head of the response. Watches and requests outside of a
 * reconcile, for which `isTraced` returns false, are not recorded: they would be traces of their own.
 */
export function requestSpans(tracing: Tracing, isTraced: () => boolean): Layer {
  return (next) => ({
    async send(request) {
      if (isStream(request) || !isTraced()) return next.send(request);
      const { method, about } = request;
      const fields = {
        "http.request.method": method,
        ...(about?.key !== undefined && { "k8s.object": about.key }),
      };
      const name = about === undefined ? `k8s ${method}` : `k8s ${about.verb} ${about.resource}`;
      return tracing.span(
        name,
        fields,
        async (span) => {
          const response = await next.send({ ...request, headers: { ...request.headers, ...traceHeaders(span) } });
          span.set({ "http.response.status_code": response.status });
          return response;
        },
        { kind: "client" },
      );
    },
  });
}
