import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addReport, type ReportReason } from '../../../src/domain/moderation/reports.ts'
import { SAME_SQL } from '../../support/engines.ts'
import { FIXED_KEYS } from '../../support/keys.ts'
import { payFor } from '../../support/ledger.ts'
import { sendHtml } from '../../support/sites.ts'
import { type Operating, startOperating } from '../../web/console/operating.ts'
import { buttonOf, idOf, undoId } from '../../web/console/operators.ts'
import { openPrivatePage } from '../../web/manage/owner.ts'
import { newVisitor } from '../../web/visitor.ts'

const CASINO = `<!doctype html><html lang="en"><title>Casino Riches – quick money online casino bonus</title>
  <meta name="description" content="Free spins for all."><h1>Casino Riches</h1><p>Play whenever you like.</p>`

interface Found {
  id: number
  kind: string
  slug: string
  firstSeenAt: number
  evidence: Record<string, unknown>
}

describe.each(SAME_SQL)('what reviewers flag, on %s', engine => {
  let board: Operating

  beforeAll(async () => {
    board = await startOperating(engine)
  })
  afterAll(() => board.service.stop())

  const shows = (host: string, html: string) =>
    board.service.sites.set(host, (_request, response) => sendHtml(response, html))
  async function flagged(host: string) {
    shows(host, CASINO)
    return board.listed(host)
  }
  const found = async (slug: string): Promise<Found[]> => {
    const { output } = await board.placard('findings', '--json')
    const all = output.split('\n').flatMap(line => (line.startsWith('{') ? (JSON.parse(line) as Found) : []))
    return all.filter(each => each.slug === slug)
  }
  const settleAll = async (slug: string) => {
    for (const { id } of await found(slug)) {
      await board.placard('settle-finding', String(id), '--reason', 'A game without stakes', '--as', 'Ada')
    }
  }
  const reported = async (slug: string, reason: ReportReason) =>
    addReport(
      { store: board.store, serviceKeys: FIXED_KEYS },
      await idOf(board.store, slug),
      { reason, details: '', contact: '' },
      'network',
      board.service.clock.now,
    )

  it('waits for the operator as soon as it is published, with the words in context', async () => {
    const { slug } = await flagged('casino-riches.com')
    const [only, ...others] = await found(slug)
    expect(others).toEqual([])
    expect(only).toMatchObject({
      kind: 'flagged_by:phrases',
      evidence: {
        reason: 'policy',
        kind: 'casino',
        context: [expect.stringContaining('quick money online casino bonus')],
      },
    })
    const ada = await board.enter('Ada')
    const { html } = await ada.get('/console')
    expect(html).toContain('<h1>1 pending</h1>')
    expect(html).toContain('<b data-count="queue">1</b>')
    expect(html).toContain('The reviewer phrases flagged the page when it was listed.')
    expect(html).toContain('Casino Riches – quick money online casino bonus Free spins for all. Casino Riches')
    expect(JSON.parse((await ada.get('/console/counts')).html)).toMatchObject({ findings: 1 })
    expect((await board.placard('findings')).output).toContain('The reviewer phrases flagged the page')
  })

  it('is settled in the console, undone there, and settled with the command', async () => {
    const [{ slug, id } = { slug: '', id: 0 }] = await found('casino-riches-com')
    const ada = await board.enter('Ada')
    const keep = buttonOf(await ada.get('/console'), 'keep', await idOf(board.store, slug))
    await ada.post('/console/act', { keep })
    const done = await ada.get('/console')
    expect(done.html).toContain('Nothing pending')
    await ada.post('/console/undo', { id: undoId(done) ?? '' })
    expect(await found(slug)).toHaveLength(1)
    const settled = await board.placard('settle-finding', String(id), '--reason', 'It is a game')
    expect(settled.output).toContain(`Finding ${id} about ${slug} is settled.`)
    expect(await found(slug)).toEqual([])
    expect(await board.decisions('settle_finding')).toMatchObject([
      { actor: 'operator:Ada', ground: 'rules/review@1', facts: { finding: 'flagged_by:phrases' } },
      { actor: 'operator:operator', ground: 'rules/review@1', reason: 'listing_kept' },
    ])
  })

  it('gives the reason when the listing is hidden for it', async () => {
    const { slug } = await flagged('hidden-casino.com')
    const ada = await board.enter('Ada')
    const hide = buttonOf(await ada.get('/console'), 'hide', await idOf(board.store, slug))
    await ada.post('/console/act', { hide })
    const [hidden] = (await board.decisions('hide')).slice(-1)
    expect(hidden).toMatchObject({
      reason: 'policy',
      facts: { explanation: expect.stringContaining('Flagged by review, and confirmed') },
    })
  })

  it('is raised again after a refresh only if there is anything new', async () => {
    const { slug, linkNow } = await flagged('refreshed-casino.com')
    await settleAll(slug)
    const owner = await openPrivatePage(await linkNow())
    await owner.act('refresh', {})
    expect(await found(slug)).toEqual([])
    shows('refreshed-casino.com', CASINO.replace('Play whenever', 'Live casino, jackpots. Play whenever'))
    await owner.act('refresh', {})
    expect(await found(slug)).toMatchObject([{ kind: 'flagged_by:phrases' }])
    await settleAll(slug)
  })

  it('stays open if it says anything that the operator did not see', async () => {
    const [other, { slug, linkNow }] = [await flagged('steady-casino.com'), await flagged('growing-casino.com')]
    const ada = await board.enter('Ada')
    const [id, otherId] = [await idOf(board.store, slug), await idOf(board.store, other.slug)]
    const seen = await ada.get('/console')
    const [before] = await found(slug)
    expect(before?.firstSeenAt).not.toBe((await found(other.slug))[0]?.firstSeenAt)
    const owner = await openPrivatePage(await linkNow())
    const rest = CASINO.replace('quick money online casino bonus', 'live casino, jackpots, sports betting')
    shows('growing-casino.com', rest)
    await owner.act('refresh', {})
    for (const each of [id, otherId]) await ada.post('/console/act', { keep: buttonOf(seen, 'keep', each) })
    expect(await found(other.slug)).toEqual([])
    const [after, ...more] = await found(slug)
    expect(more).toEqual([])
    expect(after).toMatchObject({ evidence: { phrases: expect.arrayContaining(['live casino']) } })
    expect(after?.firstSeenAt).toBe(before?.firstSeenAt)
    // Nothing new, so it is the one that the operator sees.
    const page = await ada.get('/console')
    await owner.act('refresh', {})
    await ada.post('/console/act', { keep: buttonOf(page, 'keep', id) })
    expect(await found(slug)).toEqual([])
    // No operator has settled what it said first.
    shows('growing-casino.com', CASINO)
    await owner.act('refresh', {})
    expect(await found(slug)).toHaveLength(1)
    await settleAll(slug)
  })

  it('is found at the first look at a listing that an order paid for', async () => {
    shows('paid-casino.com', CASINO)
    await payFor(board.store, 'paid-casino.com', 'pi_casino', { amountCents: 2500 })
    const slug = 'paid-casino-com'
    await board.store.db
      .updateTable('listing')
      .set({ url: 'http://paid-casino.com/' })
      .where('slug', '=', slug)
      .execute()
    await board.placard('review-again', slug)
    expect(await found(slug)).toMatchObject([{ kind: 'flagged_by:phrases' }])
    await settleAll(slug)
    await board.placard('review-again', slug)
    expect(await found(slug)).toEqual([])
  })

  it('does not keep a new title from being taken over', async () => {
    const { slug } = await flagged('renamed-casino.com')
    shows('renamed-casino.com', CASINO.replace('Riches – quick', 'Royale – quick'))
    await board.placard('review-again', slug)
    const { title } = await board.store.db
      .selectFrom('listing')
      .select('title')
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow()
    expect(title).toContain('Casino Royale')
    expect(await found(slug)).toHaveLength(1)
    await settleAll(slug)
  })

  it('waits together with reports, the most serious first, and scam or fraud before all', async () => {
    const order = ['wrong', 'flagged', 'phishing', 'scam']
    const slugs: Record<string, string> = {}
    for (const name of order) {
      const { slug } = name === 'flagged' ? await flagged('flagged.com') : await board.listed(`${name}.com`)
      slugs[name] = slug
      board.service.clock.now += 1000
      if (name === 'wrong') await reported(slug, 'other')
      if (name === 'phishing') await reported(slug, 'malicious')
      if (name === 'scam') await reported(slug, 'scam')
    }
    const { html } = await (await board.enter('Ada')).get('/console')
    const shown = [...html.matchAll(/id="case-([\w-]+)"/g)].map(([, slug]) => slug)
    expect(shown).toEqual([...order].reverse().map(name => slugs[name]))
    const { output } = await board.placard('reports')
    expect(output.match(/ (scam|malicious|other)$/gm)?.map(line => line.trim())).toEqual(['scam', 'malicious', 'other'])
    const page = await newVisitor(board.service).get(`/product/${slugs.wrong}`)
    const options = [...page.html.matchAll(/<option value(?:="(\w*)")?>([^<]*)/g)].map(([, , text]) => text)
    expect(options.slice(0, 2)).toEqual(['Choose one', 'Scam or fraud: it tricks people out of money'])
  })
})
