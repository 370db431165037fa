const dollarFormat = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** Cents as dollars: $12.50. */
export const dollars = (cents: number): string => dollarFormat.format(cents / 100)
