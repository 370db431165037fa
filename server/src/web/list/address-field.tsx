import { CATEGORIES, type Category, DESTINATION_MAX_LENGTH } from '@placard/contract'
import { type Destination, parseDestination } from '../../domain/destinations/destination.ts'
import { reservedName } from '../../domain/destinations/hostname.ts'
import { mayHoldOwnerKey } from '../../domain/ownership/claims.ts'
import { LIST_PATH, type Links } from '../../platform/http/links.ts'
import { Problem } from '../../platform/http/problem.ts'
import { Button, CategoryOptions, Fault, faultProps } from '../ui/elements.tsx'

/** The form as it was sent. */
export interface ListForm {
  /** The text in the field. */
  address: string | undefined
  /** Undefined if the address cannot be listed. */
  destination: Destination | undefined
  category: Category | undefined
  faults: { address?: string | undefined; category?: string | undefined }
}

/** Reads the form, from a query or a body. @returns undefined if it was not sent */
export function readListForm(
  { address, category }: { address?: unknown; category?: unknown },
  links: Links,
): ListForm | undefined {
  if (address === undefined && category === undefined) return undefined
  const chosen = CATEGORIES.find(id => id === category)
  const { fault, ...read } = readAddress(address, links)
  const faults = { address: fault, category: chosen ? undefined : 'Choose one of these categories.' }
  return { ...read, category: chosen, faults }
}

/** Address and category, with what is wrong with them. */
export const AddressForm = ({ address, category, faults }: ListForm) => (
  <form class="asked" id="asked" action={`${LIST_PATH}#made`}>
    <AddressField address={address} fault={faults.address} />
    <p>
      <label for="category">Category</label>
      <select
        id="category"
        name="category"
        required
        autofocus={faults.category !== undefined}
        {...faultProps('category', faults.category)}
      >
        <option value="">Choose one</option>
        <CategoryOptions chosen={category} />
      </select>
      {faults.category && <Fault id="category">{faults.category}</Fault>}
    </p>
    <Button look="go">Make the prompt</Button>
  </form>
)

export const AddressField = ({ address, fault }: { address: string | undefined; fault: string | undefined }) => (
  <p>
    <label for="address">Your website’s address</label>
    <input
      id="address"
      name="address"
      required
      type="text"
      inputmode="url"
      autocomplete="url"
      maxLength={DESTINATION_MAX_LENGTH}
      placeholder="https://"
      value={address}
      autofocus={fault !== undefined}
      {...faultProps('address', fault)}
    />
    {fault && <Fault id="address">{fault}</Fault>}
  </p>
)

/**
 * Returns the destination that a person typed, with or without a scheme, or a sentence that says what is wrong. A text
 * with an owner key, however escaped, is neither used nor shown.
 */
export function typedDestination(text: string, links: Links): Destination | { fault: string } {
  const typed = text.trim()
  if (mayHoldOwnerKey(typed)) return { fault: PRIVATE_LINK }
  const address = /^[^/?#]*:/.test(typed) ? typed : `https://${typed}`
  try {
    return parseDestination(address, links.hostname)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { fault: faultOf(address) }
  }
}

const PRIVATE_LINK = 'This looks like a private link, which opens a listing. Enter the public address instead.'

/** Returns a sentence that says what to enter. The API names the broken rule instead. */
function faultOf(address: string): string {
  if (address.length > DESTINATION_MAX_LENGTH) {
    return `That is longer than ${DESTINATION_MAX_LENGTH} characters. Enter a shorter address.`
  }
  const hostname = URL.parse(address)?.hostname ?? ''
  if (reservedName(hostname) !== undefined) {
    return `${hostname} is reserved. Enter your own website’s address.`
  }
  return hostname.includes('.')
    ? 'That address can’t be listed. Try one like your-site.com.'
    : 'That isn’t a full address. Try your-site.com.'
}

/** Reads an address field. @returns the text to show again, and the destination or what is wrong */
export function readAddress(given: unknown, links: Links) {
  const text = typeof given === 'string' ? given : ''
  const read = text.trim() === '' ? { fault: 'Enter your website’s address.' } : typedDestination(text, links)
  if ('fault' in read) return { address: echoedAddress(text), fault: read.fault, destination: undefined }
  return { address: read.url, fault: undefined, destination: read }
}

/** Returns typed text to show again in an address field; undefined if it may contain a private link or a password. */
export function echoedAddress(text: unknown, maxLength?: number): string | undefined {
  const kept = echoedText(text, maxLength)
  return kept !== undefined && /@|\/manage\//i.test(kept) ? undefined : kept
}

/**
 * Returns the typed text for the URL of the page with the error. A private link or a password is replaced by a marker,
 * because browsers and proxies store URLs.
 */
export function withoutSecret(text: string): string {
  if (mayHoldOwnerKey(text)) return 'owner='
  return text.includes('@') ? '@' : text
}

/** Returns the typed text to show again in a short field; undefined if it may contain a private link. */
export function echoedText(text: unknown, maxLength = DESTINATION_MAX_LENGTH): string | undefined {
  if (typeof text !== 'string' || text.length > maxLength) return undefined
  const kept = text.toWellFormed().replace(/\p{C}+/gu, '')
  return mayHoldOwnerKey(kept) ? undefined : kept
}
