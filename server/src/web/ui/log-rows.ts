import type { FastifyReply } from 'fastify'
import { PROOF_MEDIA_TYPE } from '../../domain/log/proofs.ts'

export const PROOF_PATH = '/proof'

/** The latest checkpoint as a file. */
export const CHECKPOINT_PATH = '/log/checkpoint'

/** The page with what the log says of a row or of a listing. @param asked a row's number or a listing's address */
export const rowPath = (asked: number | string): string =>
  `${PROOF_PATH}?${new URLSearchParams({ row: `${asked}` })}#row`

export const rowProofPath = (index: number): string => `${PROOF_PATH}/${index}.tlog-proof`

/** What each kind of row says. `assets/proof.js` reads these words, too. */
export const KINDS: Record<string, string> = {
  began: 'the log began',
  listed: 'a listing was published',
  withdrawn: 'a listing was withdrawn by its owner',
  hidden: 'a listing was taken down',
  restored: 'a listing was restored',
  ended: 'a listing was ended early',
  verified: 'someone proved that a website is theirs, or that proof is gone',
  claimed: 'a private link was renewed',
  decided: 'another decision was made, which is private',
  counted: 'money began to count for a listing',
  refunded: 'refunded money stopped counting',
  disputed: 'disputed money stopped counting',
  won_back: 'money counts again',
  placed: 'a listing got its place again',
  left: 'a listing lost its place because it was withdrawn or taken down',
  drawn: 'a listing was drawn by lot',
  key: 'a further signing key came into use',
  recovered: 'the log continued after a break',
}

/** Sends a proof as a file to keep. @param name of the file, without its ending */
export const sendProof = (reply: FastifyReply, name: string, proof: string) =>
  reply.header('content-disposition', `attachment; filename="${name}.tlog-proof"`).type(PROOF_MEDIA_TYPE).send(proof)
