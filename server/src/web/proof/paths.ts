/** The page of the log. */
export const PROOF_PATH = '/proof'

/** The latest checkpoint as a file. */
export const CHECKPOINT_PATH = '/log/checkpoint'

/** The page with what the log says of a row or of a listing. @param asked a row's number or a listing's address */
export const rowPath = (asked: number | string): string =>
  `${PROOF_PATH}?${new URLSearchParams({ row: `${asked}` })}#row`

/** The proof of a row, as a file. */
export const rowProofPath = (index: number): string => `${PROOF_PATH}/${index}.tlog-proof`
