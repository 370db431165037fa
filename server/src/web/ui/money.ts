const dollarFormat = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** Cents as dollars: $12.50. */
export const dollars = (cents: number): string => dollarFormat.format(cents / 100)

const wholeDollarFormat = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  trailingZeroDisplay: 'stripIfInteger',
})

/** The same where cents matter only if there are any: $820, but $12.50. */
export const shortDollars = (cents: number): string => wholeDollarFormat.format(cents / 100)
