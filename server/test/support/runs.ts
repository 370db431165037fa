/** Whether this run tries every case, as `npm run test:both` does, which CI runs for every change. */
export const TRIES_ALL = process.env.TEST_ENGINES === 'both'

/** Returns how many random cases a test tries: a quarter in `npm test`. Each run draws other cases. */
export const runs = (all: number): number => (TRIES_ALL ? all : Math.ceil(all / 4))
