import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startTestService, type TestService } from '../../support/service.ts'

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')

interface Rule {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string }
}
const alerts = (parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
)
const dashboard = JSON.parse(read('deploy/grafana/placard.json')) as {
  panels: { title: string; targets: { expr: string }[] }[]
  templating: { list: { query: unknown }[] }
}

const expressions = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ['variables', JSON.stringify(dashboard.templating.list.map(({ query }) => query))] as const,
]

/** What our metrics are called, and their labels, as `name`, `name{label}`. */
const OURS = /\b(?:http_server|placard|nodejs|process)_\w+/g

describe('the alerts and the dashboard', () => {
  let service: TestService
  /** Every name that Prometheus may ask for, with the labels it has. */
  const known = new Map<string, Set<string>>()
  beforeAll(async () => {
    // Prometheus calls a metric by what stands under its help, with what histograms append.
    service = await startTestService({ env: { METRICS_PORT: '0', BACKUP_TO: '/nowhere' }, jobsEveryMs: 0 })
    for (const line of (await (await fetch(service.metricsUrl)).text()).split('\n')) {
      const [, , name = '', type] = line.startsWith('# TYPE') ? line.split(' ') : []
      const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
      for (const suffix of suffixes) if (name) known.set(name + suffix, new Set())
    }
  })
  afterAll(() => service.stop())

  it.each(expressions)('%s asks only for metrics that exist', (_, expr) => {
    const named = expr.match(OURS) ?? []
    expect(named.length + (expr.includes('up{') ? 1 : 0)).toBeGreaterThan(0)
    expect(named.filter(name => !known.has(name))).toEqual([])
  })

  it('use every metric of our own', () => {
    const all = expressions.map(([, expr]) => expr).join('\n')
    const unused = [...known.keys()]
      .filter(name => /^(placard|http_server)_/.test(name) && !/_(sum|count)$/.test(name))
      .filter(name => !all.includes(name))
    expect(unused).toEqual([])
  })

  it.each(alerts.map(({ alert }) => alert))('%s is explained in docs/operate.md', alert => {
    expect(read('docs/operate.md')).toContain(`| \`${alert}\` |`)
  })

  it('say how bad each alert is, and what happened', () => {
    for (const { alert, for: wait, labels, annotations } of alerts) {
      expect([alert, labels.severity, wait, annotations.summary]).toEqual([
        alert,
        expect.stringMatching(/^(page|ticket)$/),
        expect.stringMatching(/^\d+[mh]$/),
        expect.stringMatching(/\.$/),
      ])
    }
  })
})
