/**
 * Returns how many random cases a test tries: a quarter in `npm test`, and all in `npm run test:both`, which CI runs for
 * every change. Each run draws other cases.
 */
export const runs = (all: number): number => (process.env.TEST_ENGINES === 'both' ? all : Math.ceil(all / 4))
