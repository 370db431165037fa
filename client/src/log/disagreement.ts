/**
 * Everything that can be wrong with a log, its boards or a proof. Each kind is one of the table in docs/log.md, and has
 * one sentence.
 */
type DisagreementKind =
  // The checkpoint.
  | 'checkpoint_malformed'
  | 'signature_wrong'
  | 'signature_missing'
  | 'witness_missing'
  // What the checkpoint covers.
  | 'log_went_back'
  | 'log_rewritten'
  | 'log_recovered'
  | 'origin_wrong'
  | 'file_missing'
  | 'tile_wrong'
  | 'bundle_wrong'
  | 'root_wrong'
  | 'entry_wrong'
  // What follows from the entries.
  | 'place_missing'
  | 'place_extra'
  | 'place_wrong'
  | 'rank_wrong'
  | 'draw_missing'
  | 'draw_extra'
  | 'draw_wrong'
  | 'seed_wrong'
  // A proof file.
  | 'proof_malformed'
  | 'proof_wrong'
  | 'private_part_wrong'

/** Two things that had to agree and do not. */
export interface Difference {
  kind: DisagreementKind
  sentence: string
}

/** A difference after which nothing else can be compared. */
export class Disagreement extends Error implements Difference {
  override readonly name = 'Disagreement'
  readonly kind: DisagreementKind
  readonly sentence: string

  constructor(kind: DisagreementKind, sentence: string) {
    super(sentence)
    this.kind = kind
    this.sentence = sentence
  }
}

/** Runs what throws a sentence, and makes a disagreement of it. */
export function orDisagree<T>(kind: DisagreementKind, act: () => T, prefix = ''): T {
  try {
    return act()
  } catch (error) {
    throw new Disagreement(kind, prefix + (error as Error).message)
  }
}
