import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { Problem } from './problem.ts'

/** Asks a limit inside of a handler, for a page that says itself what is wrong. @returns undefined to go on */
export const refusalBy = (
  limit: onRequestHookHandler,
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Problem | undefined> =>
  new Promise(resolve =>
    limit.call(app, request, reply, error => resolve(error instanceof Problem ? error : undefined)),
  )
