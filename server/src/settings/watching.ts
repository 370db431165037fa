import type { Row } from './row.ts'
import { hostToListenOn, httpAddress, oneOf, wholeNumber } from './values.ts'

/** How the service is seen from outside: `docs/monitoring.md`. */
export const WATCHING_SETTINGS = {
  METRICS_PORT: {
    unset: 'none',
    meaning:
      'Port for Prometheus’ `/metrics`, apart from the service’s own; 0 picks a free port and logs it. See [monitoring.md](monitoring.md).',
    parse: wholeNumber(0, 65_535),
  },
  METRICS_HOST: {
    default: '127.0.0.1',
    meaning: 'Address on which METRICS_PORT listens. Metrics are for you: keep it private.',
    parse: hostToListenOn,
  },
  ACCESS_LOG: {
    default: 'off',
    meaning:
      'One log line for each request, without its query and its client: `off` or `on`; `with-address` names the client address, too.',
    parse: oneOf(['off', 'on', 'with-address']),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    unset: 'none',
    meaning:
      'Where traces are sent, over OTLP/HTTP: `http://127.0.0.1:4318`. OpenTelemetry’s other variables count then, too.',
    parse: httpAddress,
  },
} as const satisfies Record<string, Row>
