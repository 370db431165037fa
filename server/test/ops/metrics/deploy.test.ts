import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { jobsOf } from '../../../src/ops/jobs/table.ts'
import { configFrom } from '../../../src/platform/config/config.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined

/** What it says; for metrics, nothing if they are right. */
function promtool(args: string[], input = ''): string {
  const { stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  return stdout + stderr
}

/** The rules of promtool that a new metric is most likely to break. */
function lint(metrics: string): string[] {
  const of = (what: string) =>
    new Map(
      [...metrics.matchAll(new RegExp(`^# ${what} (\\S+) (.*)$`, 'gm'))].map(([, name = '', said = '']) => [
        name,
        said,
      ]),
    )
  const helps = of('HELP')
  return [...of('TYPE')].flatMap(([name, type]) => [
    ...(helps.get(name) ? [] : [`${name}: no help`]),
    ...(type === 'counter' && !name.endsWith('_total') ? [`${name}: a counter ends in _total`] : []),
    ...(type !== 'counter' && name.endsWith('_total') ? [`${name}: only a counter ends in _total`] : []),
    ...(/_(ms|milliseconds|minutes|hours|days|kib|mib|kilobytes|percent)(_|$)/.test(name)
      ? [`${name}: not a base unit`]
      : []),
    ...(/_(gauge|counter|histogram|summary)(_|$)|[A-Z]/.test(name) ? [`${name}: its type, or capitals`] : []),
  ])
}

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')

interface Rule {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; runbook_url: string }
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

  it('each have one paragraph in the runbook, whose address they carry', () => {
    const paragraphs = [...read('docs/runbook.md').matchAll(/^## When (\w+) fires$/gm)].map(([, alert = '']) => alert)
    expect(paragraphs.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted())
    for (const { alert, annotations } of alerts) {
      expect(annotations.runbook_url).toMatch(new RegExp(`/docs/runbook\\.md#when-${alert.toLowerCase()}-fires$`))
    }
  })

  it('have names, units and help as Prometheus wants them', async () => {
    const metrics = await (await fetch(service.metricsUrl)).text()
    expect(lint(metrics)).toEqual([])
    expect(lint('# HELP a_total Things.\n# TYPE a_total gauge\n')).toEqual(['a_total: only a counter ends in _total'])
    if (!hasPromtool) return console.warn('promtool is not installed, so only the main rules of names are checked')
    expect(promtool(['check', 'metrics'], metrics)).toBe('')
    const rules = fileURLToPath(new URL('../../../../deploy/prometheus/alerts.yml', import.meta.url))
    expect(promtool(['check', 'rules', rules])).toMatch(/SUCCESS/)
  })

  it('compare outcomes of publishes that are counted from the start, so that the first one is an increase', async () => {
    const metrics = await (await fetch(service.metricsUrl)).text()
    const outcomes = alerts.flatMap(({ expr }) => [...expr.matchAll(/outcome=~?"([^"]+)"/g)])
    const missing = new Set(outcomes.flatMap(([, names = '']) => names.split('|')))
    for (const name of [...missing]) {
      if (metrics.includes(`placard_publish_total{outcome="${name}"} 0`)) missing.delete(name)
    }
    expect([outcomes.length, [...missing]]).toEqual([4, []])
  })

  it('tell of every job without a queue that is late or fails', () => {
    const [, kinds] = /kind=~"([^"]+)"/.exec(alerts.find(({ alert }) => alert === 'PlacardJobLate')?.expr ?? '') ?? []
    const config = configFrom({
      BACKUP_TO: '/nowhere',
      PURGE_URL: 'https://cdn.example.org/purge',
      SMTP_URL: 'smtp://mail.example.org',
      OPERATOR_MAIL_TO: 'ops@example.org',
      OPERATOR_WEBHOOK_URL: 'https://ops.example.org/',
      OPERATOR_WEBHOOK_SECRET: `whsec_${'A'.repeat(32)}`,
    })
    // Two have an alert of their own.
    const others = jobsOf(config).filter(({ name, countDue }) => !countDue && !/^(backup|retention)$/.test(name))
    expect(others.map(({ name }) => name).filter(name => !new RegExp(`^(${kinds})$`).test(name))).toEqual([])
    expect(others.length).toBeGreaterThan(5)
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
