/**
 * How many times longer Placard waits in our tests for websites, connections and its own processes: a busy machine takes
 * minutes for what an idle one does in a second.
 */
const PATIENCE = Number(process.env.PLACARD_PATIENCE ?? 1)

/** Returns a time limit, which is longer in our tests. */
export const withPatience = (limitMs: number): number => limitMs * PATIENCE
