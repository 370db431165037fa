// @module-tag browser
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { inviteUser } from '../../../src/domain/moderation/console/users.ts'
import { launchBrowser, noteComplaints } from '../../support/browser.ts'
import { pageFaults } from '../../support/page-faults.ts'
import { type Pages, startPages } from '../page-app.ts'
import { reported } from './operators.ts'

let browser: Browser
let pages: Pages
let origin: string
let context: BrowserContext
const complaints: string[] = []

beforeAll(async () => {
  browser = await launchBrowser()
  // Passkeys need a domain, and trust this one without TLS.
  pages = await startPages({ env: { HOST: 'localhost' } })
  origin = pages.url.replace('127.0.0.1', 'localhost')
})
afterAll(async () => {
  await browser.close()
  await pages.close()
})
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true })
})
afterEach(async () => {
  await context.close()
  expect(complaints.splice(0)).toEqual([])
})

/** A phone that keeps passkeys, and knows its owner. */
async function newPhone(): Promise<{ page: Page; cdp: CDPSession; authenticatorId: string }> {
  const page = await context.newPage()
  noteComplaints(page, complaints)
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { page, cdp, authenticatorId }
}

const invited = async (name: string, role: 'admin' | 'moderator') => {
  const { token } = await inviteUser(pages.store, { name, role }, null, pages.time.now)
  return `${origin}/console/invite/${token}`
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('invited, registered, signed out and in again, a person acts under the name', async () => {
  const { page, cdp, authenticatorId } = await newPhone()
  const faults: unknown[] = []
  await page.goto(await invited('Ada', 'admin'))
  faults.push(...(await pageFaults(page, 'console invitation')))
  await page.getByLabel('Name of this device').fill('Phone')
  // By the keyboard alone.
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Nothing pending' }).waitFor()
  await button(page, 'Sign out').click()
  await page.getByText('You are signed out').first().waitFor()
  faults.push(...(await pageFaults(page, 'console sign-in')))
  await button(page, 'Sign in with a passkey').click()
  await page.getByRole('heading', { name: 'Nothing pending' }).waitFor()

  const { slug } = await pages.addListing()
  await reported(pages, slug)
  await page.goto(`${origin}/console`)
  await page.getByRole('button', { name: 'Hide now' }).click()
  await page.getByText('Hidden:').waitFor()
  const decisions = pages.store.db.selectFrom('decision').select('actor').where('kind', '=', 'hide')
  expect(await decisions.execute()).toEqual([{ actor: 'operator:Ada' }])

  // The device that has a passkey creates no second one.
  await page.goto(`${origin}/console/users`)
  await button(page, 'Add a passkey').click()
  await page.getByText('This device already has a passkey of yours.').waitFor()
  await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'usb',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
  await page.getByLabel('Name of this device').fill('Key')
  await button(page, 'Add a passkey').click()
  await page.getByText('The passkey was added.').waitFor()
  await button(page, 'Remove Phone').click()
  await page.getByText('The passkey was removed.').waitFor()

  await page.getByLabel('Name', { exact: true }).fill('Bo')
  await button(page, 'Make an invitation').click()
  await page.getByRole('heading', { name: 'An invitation for Bo' }).waitFor()
  faults.push(...(await pageFaults(page, 'console invited')))
  await page.getByRole('link', { name: 'back to the users' }).click()
  await page.getByText('Change Bo').click()
  faults.push(...(await pageFaults(page, 'console users')))
  await button(page, 'Withdraw the invitation').click()
  await page.getByText('Bo is signed out everywhere').waitFor()

  // In a tab that was left open, a change asks to sign in again, and that leads back.
  pages.time.now += 11 * 60_000
  await button(page, 'Add a passkey').click()
  await page.getByText('You signed in more than ten minutes ago.').waitFor()
  faults.push(...(await pageFaults(page, 'console users later')))
  await button(page, 'Sign in again').click()
  await page.getByRole('heading', { name: 'Invite a user' }).waitFor()
  expect(page.url()).toBe(`${origin}/console/users`)
  expect(faults).toEqual([])
})

test('a browser that can’t convert passkeys to JSON, as Safari before 18.4, creates one and signs in with it', async () => {
  const { page } = await newPhone()
  await page.addInitScript(`
    delete PublicKeyCredential.parseCreationOptionsFromJSON
    delete PublicKeyCredential.parseRequestOptionsFromJSON
    delete PublicKeyCredential.prototype.toJSON`)
  await page.goto(await invited('Gil', 'moderator'))
  await button(page, 'Create a passkey').click()
  await page.getByRole('heading', { name: 'Nothing pending' }).waitFor()
  await button(page, 'Sign out').click()
  await button(page, 'Sign in with a passkey').click()
  await page.getByRole('heading', { name: 'Nothing pending' }).waitFor()
})

test('says what to do when the prompt is closed, the passkey or the invitation is gone, or the browser too old', async () => {
  const { page, cdp, authenticatorId } = await newPhone()
  const link = await invited('Eve', 'moderator')
  await page.goto(link)
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await button(page, 'Create a passkey').click()
  await page.getByText('The prompt was closed, or took too long.').waitFor()
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  await button(page, 'Create a passkey').click()
  await page.getByRole('heading', { name: 'Nothing pending' }).waitFor()

  await pages.store.transact(trx => trx.deleteFrom('console_operator').where('name', '=', 'Eve').execute())
  await page.goto(`${origin}/console`)
  await button(page, 'Sign in with a passkey').click()
  await page.getByRole('heading', { name: 'We don’t know this passkey' }).waitFor()
  const faults = await pageFaults(page, 'console unknown passkey')

  const second = await invited('Fay', 'moderator')
  await page.goto(second)
  await pages.store.transact(trx => trx.deleteFrom('console_link').execute())
  await button(page, 'Create a passkey').click()
  await page.getByRole('heading', { name: 'This invitation doesn’t work' }).waitFor()

  const old = await context.newPage()
  await old.addInitScript('delete globalThis.PublicKeyCredential')
  await old.goto(`${origin}/console`)
  await button(old, 'Sign in with a passkey').click()
  await old.getByText('This browser can’t use passkeys here.').waitFor()
  faults.push(...(await pageFaults(old, 'console without passkeys')))
  expect(faults).toEqual([])
})
