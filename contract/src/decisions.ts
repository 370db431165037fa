import Type, { type Static } from 'typebox'
import { errorResponses } from './errors.ts'
import { STATEMENT_MAX_LENGTH } from './limits.ts'
import { PublishHeaders } from './publish.ts'
import { PROOF_HEADER } from './wire.ts'

const uri = (description: string) => Type.String({ format: 'uri', description })
const time = (description: string) => Type.Integer({ description: `${description} Unix milliseconds.` })

export const DecisionParams = Type.Object({
  id: Type.String({ description: 'As the header Placard-Decision gives it.' }),
})

/** The credentials of a decision's owner. */
export const DecisionHeaders = Type.Object({
  [PROOF_HEADER]: PublishHeaders.properties[PROOF_HEADER],
})

/** One recorded decision, with its reasons and what can be done about it. */
export const DecisionStatement = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({
      description:
        'accept or refuse (of a submission), hide or restore (of a listing), settle (of a report), appeal, outcome (of an appeal), or an action of the owner. The list may grow.',
    }),
    decision: Type.String({ description: 'What was decided, in a sentence.' }),
    decidedAt: time('When it was decided.'),
    decidedBy: Type.String({ description: 'automatic, operator, owner or reporter.' }),
    automated: Type.Object({
      detection: Type.Boolean({ description: 'Whether it was found by automated means.' }),
      decision: Type.Boolean({ description: 'Whether no person took part in the decision.' }),
    }),
    about: Type.Object({
      website: Type.Optional(Type.String({ description: 'Host name of what was submitted.' })),
      requestId: Type.Optional(Type.String()),
      productUrl: Type.Optional(uri('Public page of the listing.')),
      decision: Type.Optional(Type.String({ description: 'The decision that it appeals or answers.' })),
    }),
    reason: Type.String({ description: 'A code, such as a review reason. The list may grow.' }),
    ground: Type.Object({
      id: Type.String(),
      version: Type.Integer({ minimum: 1 }),
      kind: Type.String({ description: 'rule of this service, law, or choice of the owner.' }),
      text: Type.String({ description: 'Its text when it was decided.' }),
      url: uri('Where it can be read.'),
    }),
    facts: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description:
          'What it is based on: an explanation by a person; each reviewer with its version and outcome, with the evidence of those that refused; address and SHA-256 of what was fetched. Left out once it is deleted.',
      }),
    ),
    factsSha256: Type.String({ description: 'SHA-256 of the facts as they were recorded. It stays.' }),
    scope: Type.Object({
      territory: Type.String(),
      duration: Type.String(),
    }),
    contest: Type.Object({
      isPossible: Type.Boolean({ description: 'Whether an appeal is possible now.' }),
      until: Type.Optional(time('The last moment for an appeal.')),
      appealUrl: Type.Optional(uri('Where to post it.')),
      how: Type.String({ description: 'What you can do about it, as text.' }),
    }),
    appeal: Type.Optional(
      Type.Object({
        id: Type.String(),
        receivedAt: time('When it arrived.'),
        statement: Type.Optional(Type.String({ description: 'Left out once it is deleted.' })),
        outcome: Type.Optional(
          Type.Object({
            id: Type.String(),
            result: Type.String({ description: 'upheld: the decision stands. reversed: it does not.' }),
            explanation: Type.Optional(Type.String()),
            decidedAt: time('When a person decided it.'),
          }),
        ),
      }),
    ),
    logIndex: Type.Optional(
      Type.Integer({ description: 'The index of its entry in the public log, shortly after it was made.' }),
    ),
    chargeCreated: Type.Literal(false),
  },
  { title: 'DecisionStatement' },
)
export type DecisionStatement = Static<typeof DecisionStatement>

export const AppealBody = Type.Object(
  {
    statement: Type.String({
      minLength: 1,
      maxLength: STATEMENT_MAX_LENGTH,
      description: 'Why the decision is wrong. A person reads it. Most emoji count as two characters.',
    }),
  },
  { title: 'AppealBody', additionalProperties: false },
)
export type AppealBody = Static<typeof AppealBody>

const ERRORS_OF_BOTH = [
  'invalid_request',
  'invalid_submission_secret',
  'cross_origin_rejected',
  'not_found',
  'rate_limited',
  'internal_error',
  'not_ready',
] as const

export const decisionSchema = {
  operationId: 'getDecision',
  summary: 'Read a decision and the reasons for it',
  description:
    'With the secret of the submission that it is about. A refusal (422) has its id as decisionId; the receipt of a hidden listing has it in the header Placard-Decision. An unknown decision and one about someone else’s submission get the same 404.',
  tags: ['agent'],
  params: DecisionParams,
  response: {
    200: { ...DecisionStatement, description: 'The decision.' },
    ...errorResponses(ERRORS_OF_BOTH),
  },
} as const

export const decisionProofSchema = {
  operationId: 'getDecisionProof',
  summary: 'Get the proof that a decision is in the public log',
  description:
    'With the secret of the submission that it is about. A C2SP tlog-proof as of a submission. It is ready about two seconds after the decision; until then, the reply is 503.',
  tags: ['agent'],
  params: DecisionParams,
  response: {
    200: { type: 'string', description: 'The proof: text of usually less than 2 KB.' },
    ...errorResponses(ERRORS_OF_BOTH),
  },
} as const

export const appealSchema = {
  operationId: 'appealDecision',
  summary: 'Appeal a decision, once',
  description:
    'A person decides: if there are two operators, not the one who made the decision. Sending the same statement again returns the same reply. A different statement returns 409.',
  tags: ['agent'],
  params: DecisionParams,
  body: AppealBody,
  response: {
    200: { ...DecisionStatement, description: 'The appealed decision, with the appeal.' },
    ...errorResponses([
      ...ERRORS_OF_BOTH,
      'invalid_json',
      'invalid_body',
      'invalid_statement',
      'already_appealed',
      'not_contestable',
      'body_too_large',
      'unsupported_media_type',
    ]),
  },
} as const
