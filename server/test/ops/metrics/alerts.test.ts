import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PUBLISH_PATH } from '@placard/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const rules = fileURLToPath(new URL('../../../../deploy/prometheus/alerts.yml', import.meta.url))
interface Rule {
  alert: string
  labels: Record<string, string>
  annotations: Record<string, string>
}
const alerts = (parse(readFileSync(rules, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  group => group.rules,
)

/** What Prometheus collects, one value a minute, in the notation of promtool: `0+2x30` is 0, 2, … 60. */
type Series = Record<string, string>
interface Case {
  /** With these, the alert fires. */
  bad: Series
  /** With these, it fires, too. */
  alsoBad?: Series
  /** With these, it does not. */
  good: Series
  /** With these, it does not, either. */
  alsoGood?: Series
  /** When it is asked. */
  at: string
  /** The labels of the alert, except its severity. */
  labels?: Record<string, string>
}

const A = { instance: 'a' }
const requests = (more: string) => `http_server_request_duration_seconds_count{instance="a",${more}}`
const publishes = (outcome: string) => `placard_publish_total{instance="a",outcome="${outcome}"}`
const quotesWithin = (le: string) =>
  `http_server_request_duration_seconds_bucket{route="/api/v1/agent/quote",le="${le}"}`
const due = (kind: string) => `placard_jobs_due{instance="a",kind="${kind}"}`
const failures = (kind: string) => `placard_job_failures{instance="a",kind="${kind}"}`
const [HOUR, DAY] = [60, 24 * 60]
const BLOCKLIST = 'placard_blocklist_age_seconds{instance="a",list="bad.txt"}'

const CASES: Record<string, Case> = {
  PlacardAbsent: {
    bad: { 'up{job="node"}': '1x30' },
    good: { 'up{job="placard"}': '0x30' },
    at: '10m',
    labels: { job: 'placard' },
  },
  PlacardDown: {
    bad: { 'up{job="placard",instance="a"}': '0x30' },
    good: { 'up{job="placard",instance="a"}': '0x1 1x30' },
    at: '10m',
    labels: { ...A, job: 'placard' },
  },
  PlacardNotReady: {
    bad: { 'placard_ready{instance="a"}': '0x30' },
    good: { 'placard_ready{instance="a"}': '1x30' },
    at: '5m',
    labels: A,
  },
  PlacardWorkerSilent: {
    bad: { 'placard_workers_silent{instance="a"}': '1x30' },
    good: { 'placard_workers_silent{instance="a"}': '0x30' },
    at: '5m',
    labels: A,
  },
  PlacardErrors: {
    bad: { [requests('status="500"')]: '0+2x30', [requests('status="200"')]: '0+98x30' },
    alsoBad: { [requests('route="/",status="503"')]: '0+2x30', [requests('status="200"')]: '0+98x30' },
    good: {
      [requests('status="500"')]: '0+1x30',
      [requests('status="200"')]: '0+199x30',
      // An agent publishes a website that is down, again and again.
      [requests(`route="${PUBLISH_PATH}",status="503"`)]: '0+3x30',
      [requests(`route="/list/self",status="503"`)]: '0+3x30',
    },
    at: '15m',
    labels: A,
  },
  PlacardPublishesFail: {
    bad: { [publishes('internal_error')]: '0+1x30' },
    good: { [publishes('review_rejected')]: '0+1x30' },
    at: '15m',
  },
  PlacardReviewUnavailable: {
    bad: { [publishes('review_unavailable')]: '0+6x90', [publishes('published')]: '0+4x90' },
    good: { [publishes('review_unavailable')]: '0+4x90', [publishes('published')]: '0+6x90' },
    // On a quiet site, agents try websites that are down.
    alsoGood: { [publishes('review_unavailable')]: '0x5 4x20 8x20 12x60' },
    at: '70m',
  },
  PlacardWebhookFails: {
    bad: { 'placard_ledger_events_refused_total{instance="a"}': '0x5 1x60' },
    // Stripe repeats a failed delivery after some minutes, then ever later.
    alsoBad: { [requests('route="/webhooks/stripe",status="503"')]: '_x5 1x5 2x60' },
    // Strangers get 400, too.
    good: {
      [requests('route="/webhooks/stripe",status="200"')]: '0+1x60',
      [requests('route="/webhooks/stripe",status="400"')]: '0+1x60',
      'placard_ledger_events_refused_total{instance="a"}': '0x60',
    },
    at: '40m',
  },
  PlacardQuotesSlow: {
    bad: { [quotesWithin('0.25')]: '0+98x30', [quotesWithin('1')]: '0+100x30', [quotesWithin('+Inf')]: '0+100x30' },
    good: { [quotesWithin('0.25')]: '0+100x30', [quotesWithin('+Inf')]: '0+100x30' },
    at: '20m',
  },
  PlacardEventLoopLags: {
    bad: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': '0.3x30' },
    good: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': '0.1x30' },
    at: '15m',
    labels: A,
  },
  PlacardDatabaseSlow: {
    bad: { 'placard_database_probe_seconds{instance="a"}': '2x30' },
    good: { 'placard_database_probe_seconds{instance="a"}': '0.1x30' },
    at: '10m',
    labels: A,
  },
  PlacardDatabaseQueue: {
    bad: { 'placard_pool{instance="a",pool="postgres_main",state="waiting"}': '21x30' },
    good: { 'placard_pool{instance="a",pool="postgres_main",state="busy"}': '21x30' },
    at: '10m',
    labels: { ...A, pool: 'postgres_main' },
  },
  PlacardDiskLow: {
    bad: { 'placard_disk_free_bytes{instance="a"}': '1e9x30' },
    good: { 'placard_disk_free_bytes{instance="a"}': '2e9x30' },
    at: '10m',
    labels: A,
  },
  PlacardDiskFilling: {
    bad: { 'placard_disk_free_bytes{instance="a"}': `1e11-1e8x${8 * HOUR}` },
    good: { 'placard_disk_free_bytes{instance="a"}': `1e11-1e6x${8 * HOUR}` },
    at: '8h',
    labels: A,
  },
  PlacardModerationWaits: {
    bad: { 'placard_moderation_oldest_age_seconds{kind="appeal"}': `172801x${2 * HOUR}` },
    good: { 'placard_moderation_oldest_age_seconds{kind="appeal"}': `86400x${2 * HOUR}` },
    at: '2h',
    labels: { kind: 'appeal' },
  },
  PlacardModerationPiles: {
    bad: { 'placard_moderation_pending{kind="report"}': `101x${2 * HOUR}` },
    good: { 'placard_moderation_pending{kind="report"}': `100x${2 * HOUR}` },
    at: '2h',
    labels: { kind: 'report' },
  },
  PlacardJobsWait: {
    bad: { [due('pictures')]: '1001x90' },
    good: { [due('pictures')]: '1000x90', [due('search')]: '10000x90' },
    at: '1h',
    labels: { kind: 'pictures' },
  },
  PlacardJobLate: {
    bad: { [due('tell-mail')]: '1x90' },
    // Of a job that counts what is due, hardly anything is due on a small site.
    alsoBad: { [failures('tell-mail')]: '0x5 1 2 3x90' },
    good: { [due('tell-mail')]: '0x90', [due('pictures')]: '1x90', [failures('pictures')]: '0x10 1 2 0x90' },
    at: '1h',
    labels: { kind: 'tell-mail' },
  },
  PlacardRetentionStuck: {
    bad: { [due('retention')]: `1x${2 * DAY}` },
    // Once a day, it has caught up.
    good: { [due('retention')]: `1x${DAY - HOUR} 0x20 1x${DAY}` },
    at: '30h',
  },
  PlacardLogBroken: {
    bad: { 'placard_log_broken{instance="a"}': '1x30', 'placard_log_broken{instance="b"}': '0x30' },
    good: { 'placard_log_broken{instance="a"}': '0x30', 'placard_log_broken{instance="b"}': '0x30' },
    at: '5m',
  },
  PlacardDatabaseMoved: {
    bad: { 'placard_database_moves_total{instance="a"}': '0x5 1x30' },
    good: { 'placard_database_moves_total{instance="a"}': '1x30' },
    at: '10m',
  },
  PlacardBackupOld: {
    // Time begins at 0, so the last backup is two hours and a minute old.
    bad: { placard_backup_last_success_timestamp_seconds: '60x150', placard_backup_interval_seconds: '3600x150' },
    // One instance does not know of a backup yet.
    good: {
      'placard_backup_last_success_timestamp_seconds{instance="a"}': '0x150',
      'placard_backup_last_success_timestamp_seconds{instance="b"}': '0+60x150',
      placard_backup_interval_seconds: '3600x150',
    },
    at: '127m',
  },
  PlacardBlocklistOld: {
    bad: { [BLOCKLIST]: `1209601x${7 * HOUR}` },
    good: { [BLOCKLIST]: `86400x${7 * HOUR}` },
    at: '7h',
    labels: { ...A, list: 'bad.txt' },
  },
  PlacardBoardsDiffer: {
    bad: { placard_counts_differed_total: '0x5 1x30' },
    good: { placard_counts_differed_total: '0x30', placard_reconcile_differences: '0x30' },
    at: '10m',
  },
}

const folder = mkdtempSync(join(tmpdir(), 'placard-alerts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A test as promtool reads it: with these series, an alert fires, or does not. */
function testOf(alert: string, { at, labels = {}, ...series }: Case, state: 'bad' | 'alsoBad' | 'good' | 'alsoGood') {
  const rule = alerts.find(each => each.alert === alert)
  const filled = (text: string) => text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name) => labels[name] ?? '')
  const annotations = Object.entries(rule?.annotations ?? {}).map(([key, text]) => [key, filled(text)])
  const fires = { exp_labels: { ...labels, ...rule?.labels }, exp_annotations: Object.fromEntries(annotations) }
  return {
    interval: '1m',
    input_series: Object.entries(series[state] ?? {}).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: /good/i.test(state) ? [] : [fires] }],
  }
}

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined
if (!hasPromtool) console.warn('promtool is not installed (Debian: prometheus), so no alert is made to fire')

describe('the alerts', () => {
  it('each have a case here', () => expect(Object.keys(CASES)).toEqual(alerts.map(({ alert }) => alert)))

  // Rules that wait for hours are evaluated less often.
  it.skipIf(!hasPromtool).each([
    ['1m', /m$/],
    ['10m', /h$/],
  ])('fire when they should, and only then, evaluated every %s', (every, at) => {
    const cases = Object.entries(CASES).filter(([, each]) => at.test(each.at))
    const tests = cases.flatMap(([alert, each]) =>
      (['bad', 'alsoBad', 'good', 'alsoGood'] as const).flatMap(state =>
        each[state] ? [testOf(alert, each, state)] : [],
      ),
    )
    const file = join(folder, `${every}.json`)
    writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: every, tests }))
    const { stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
    expect(stdout + stderr).toMatch(/^ {2}SUCCESS$/m)
  })
})
