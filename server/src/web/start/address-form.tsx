import { CATEGORIES, type Category, DESTINATION_MAX_LENGTH } from '@placard/contract'
import type { Destination } from '../../destinations/destination.ts'
import { LIST_PATH } from '../../http/links.ts'

/** The form as it was sent. */
export interface Asked {
  /** What stands in the field. */
  address: string | undefined
  /** Undefined if the address cannot be listed. */
  destination: Destination | undefined
  category: Category | undefined
  faults: { address?: string; category?: string }
}

/** Address and category, with what is wrong with them. */
export function AddressForm({ address, category, faults }: Asked) {
  return (
    <form class="asked" action={LIST_PATH}>
      <p>
        <label for="address">Your website’s address</label>
        <input
          {...fieldProps('address', faults.address)}
          type="text"
          inputmode="url"
          autocomplete="url"
          maxLength={DESTINATION_MAX_LENGTH}
          placeholder="https://"
          value={address}
        />
        {faults.address && (
          <span class="fault" id="address-fault">
            {faults.address}
          </span>
        )}
      </p>
      <p>
        <label for="category">Category</label>
        <select {...fieldProps('category', faults.category)}>
          <option value="">Choose one</option>
          {CATEGORIES.map(id => (
            <option value={id} key={id} selected={id === category}>
              {id}
            </option>
          ))}
        </select>
        {faults.category && (
          <span class="fault" id="category-fault">
            {faults.category}
          </span>
        )}
      </p>
      <button class="btn go" type="submit">
        Make the prompt
      </button>
    </form>
  )
}

const fieldProps = (name: string, fault: string | undefined) => ({
  id: name,
  name,
  required: true,
  ...(fault && { 'aria-invalid': 'true' as const, 'aria-describedby': `${name}-fault` }),
})
