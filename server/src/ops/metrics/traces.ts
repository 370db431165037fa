import { FastifyOtelInstrumentation } from '@fastify/otel'
import { context, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { FastifyInstance } from 'fastify'
import { reviewed } from '../../platform/lib/diagnostics.ts'
import { VERSION } from '../../platform/lib/package.ts'

/**
 * Traces of requests, with their reviews, for a collector. Loaded only with `OTEL_EXPORTER_OTLP_ENDPOINT`. A trace
 * contains routes, never addresses, which may contain the key of a private feed.
 */
export class Traces {
  readonly #provider: NodeTracerProvider
  readonly #end: () => void

  /** @param endpoint of the collector, for OTLP over HTTP */
  constructor(endpoint: string) {
    const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })
    this.#provider = new NodeTracerProvider({
      resource: defaultResource().merge(
        resourceFromAttributes({
          'service.name': process.env.OTEL_SERVICE_NAME || 'placard',
          'service.version': VERSION,
        }),
      ),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    })
    this.#provider.register()
    const tracer = this.#provider.getTracer('placard', VERSION)
    // The event is sent within the request whose time it took.
    this.#end = reviewed.listen(({ reviewer, ms }) =>
      tracer.startSpan(`review ${reviewer}`, { startTime: Date.now() - ms }).end(),
    )
  }

  /** Traces an app that has no route yet. */
  async watch(app: FastifyInstance): Promise<void> {
    const instrumentation = new FastifyOtelInstrumentation({
      // Each of our hooks takes microseconds.
      instrumentHooks: false,
      requestHook(span, { method, routeOptions }) {
        const route = routeOptions.url ?? 'none'
        span.updateName(`${method} ${route}`).setAttribute('url.path', route)
      },
    })
    instrumentation.setTracerProvider(this.#provider)
    await app.register(instrumentation.plugin())
  }

  /** Sends the remaining traces. */
  async close(): Promise<void> {
    this.#end()
    // An unreachable collector must not make the stop fail.
    await this.#provider.shutdown().catch(() => {})
    trace.disable()
    context.disable()
  }
}
