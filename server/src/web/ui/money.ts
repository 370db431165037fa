const dollarFormat = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** Cents as people write them: $12.50. */
export const dollars = (cents: number): string => dollarFormat.format(cents / 100)
